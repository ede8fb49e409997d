package dev.sluice.serving.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.RunTimeBasis;
import dev.sluice.scheduling.BatchExecutor;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A session that can be closed and opened again in its place.
 *
 * <p>Owner of the session that is open. Threads: as of that session; {@link #reopen} as a run.
 */
public final class ReopenableSession implements ModelSession, BatchExecutor {
  private final Supplier<ModelSession> opener;
  private final ModelMetadata metadata;
  private final RunTimeBasis runTimeBasis;
  private volatile ModelSession session;

  /** True while threads other than the worker's may call the session. */
  @GuardedBy("this")
  private boolean open;

  /**
   * @param opener opens another one, and warms it up; blocks
   * @param first is open, and taken over
   */
  public ReopenableSession(Supplier<ModelSession> opener, ModelSession first) {
    this(opener, first, true);
  }

  private ReopenableSession(Supplier<ModelSession> opener, ModelSession first, boolean open) {
    this.opener = opener;
    this.session = first;
    this.metadata = first.metadata();
    this.runTimeBasis = first.runTimeBasis();
    this.open = open;
  }

  /**
   * One that is not open before {@link #reopen}, which is to run at once.
   *
   * @param like has the same model open, or had
   */
  static ReopenableSession unopened(Supplier<ModelSession> opener, ModelSession like) {
    var none = new NoSession(like.metadata(), like.runTimeBasis());
    return new ReopenableSession(opener, none, false);
  }

  /** Stands where no session was opened yet. */
  private record NoSession(ModelMetadata metadata, RunTimeBasis runTimeBasis)
      implements ModelSession {
    @Override
    public List<NamedTensor> run(
        Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
      throw new IllegalStateException("no session is open");
    }

    @Override
    public void close() {
      // nothing was opened
    }
  }

  /**
   * Closes the session and opens another one, in this order, since both may not fit into memory.
   * Blocks. If that fails, there is none until it succeeds.
   *
   * @throws InferenceException if it cannot be opened, or is not the same model any more
   */
  void reopen() {
    close();
    ModelSession next = opener.get();
    try {
      requireSame(next);
    } catch (RuntimeException | Error e) {
      next.close();
      throw e;
    }
    synchronized (this) {
      session = next;
      open = true;
    }
  }

  /** Another run time would be that of another graph, which event loops may not run. */
  private void requireSame(ModelSession opened) {
    if (!opened.metadata().equals(metadata) || opened.runTimeBasis() != runTimeBasis) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION, "the model's files have changed since it was loaded");
    }
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    return session.run(signature, inputs, outputs);
  }

  @Override
  public List<NamedTensor> run(
      Signature signature,
      List<NamedTensor> inputs,
      List<TensorSpec> outputs,
      Map<String, String> inPlace) {
    return session.run(signature, inputs, outputs, inPlace);
  }

  /** Returns empty while no session is open. */
  @Override
  public synchronized Optional<ModelSession> share() {
    return open ? session.share() : Optional.empty();
  }

  @Override
  public boolean runsAreIndependent() {
    return session.runsAreIndependent();
  }

  /** Does nothing while no session is open: a closed one has freed what an interruption sets. */
  @Override
  public synchronized void interrupt() {
    if (open) {
      session.interrupt();
    }
  }

  /** Returns the same for each session that is opened here. */
  @Override
  public RunTimeBasis runTimeBasis() {
    return runTimeBasis;
  }

  @Override
  public boolean isInterruptible() {
    return session.isInterruptible();
  }

  @Override
  public synchronized void resume() {
    if (open) {
      session.resume();
    }
  }

  @Override
  public synchronized boolean abort(String why) {
    return open && session.abort(why);
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
  public CompletionStage<String> ended() {
    return session.ended();
  }

  @Override
  public Optional<ProcessHandle> process() {
    return session.process();
  }

  @Override
  public void close() {
    boolean wasOpen;
    synchronized (this) {
      wasOpen = open;
      open = false;
    }
    // Outside the lock, since it blocks: no other thread reaches the session any more.
    if (wasOpen) {
      session.close();
    }
  }
}
