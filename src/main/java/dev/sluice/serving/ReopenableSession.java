package dev.sluice.serving;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A session that can be closed and opened again in its place.
 *
 * <p>Owner of the session that is open. Threads: as of that session; {@link #reopen} as a run.
 */
final class ReopenableSession implements ModelSession {
  private final Supplier<ModelSession> opener;
  private final ModelMetadata metadata;
  private volatile ModelSession session;

  /**
   * @param opener opens another one, and warms it up; blocks
   * @param first is open, and taken over
   */
  ReopenableSession(Supplier<ModelSession> opener, ModelSession first) {
    this.opener = opener;
    this.session = first;
    this.metadata = first.metadata();
  }

  /**
   * Closes the session and opens another one, in this order, since both may not fit into memory.
   * Blocks. If that fails, there is none until it succeeds.
   *
   * @throws InferenceException if it cannot be opened, or is not the same model any more
   */
  void reopen() {
    session.close();
    ModelSession next = opener.get();
    if (!next.metadata().equals(metadata)) {
      next.close();
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION, "the model's files have changed since it was loaded");
    }
    session = next;
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
  public void interrupt() {
    session.interrupt();
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
  public void close() {
    session.close();
  }
}
