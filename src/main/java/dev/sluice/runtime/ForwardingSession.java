package dev.sluice.runtime;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.tokens.ModelTokenizer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A session that stands before another one and changes what runs take or return. Owner of the
 * session behind it. Threads: as of that session.
 */
public abstract class ForwardingSession implements ModelSession {
  /** The session behind this one. */
  protected final ModelSession session;

  /** Stands before a session, which it takes over. */
  protected ForwardingSession(ModelSession session) {
    this.session = session;
  }

  @Override
  public ModelMetadata metadata() {
    return session.metadata();
  }

  @Override
  public void interrupt() {
    session.interrupt();
  }

  @Override
  public boolean isInterruptible() {
    return session.isInterruptible();
  }

  @Override
  public boolean runsAreIndependent() {
    return session.runsAreIndependent();
  }

  @Override
  public void resume() {
    session.resume();
  }

  @Override
  public boolean abort(String why) {
    return session.abort(why);
  }

  @Override
  public CompletionStage<String> ended() {
    return session.ended();
  }

  @Override
  public Optional<ProcessHandle> process() {
    return session.process();
  }

  @Override
  public Optional<ModelTokenizer> tokenizer() {
    return session.tokenizer();
  }

  @Override
  public Optional<String> advice() {
    return session.advice();
  }

  @Override
  public void close() {
    session.close();
  }
}
