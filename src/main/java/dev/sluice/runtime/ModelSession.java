package dev.sluice.runtime;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One native model handle. Used by one thread at a time; closed when no run is under way.
 *
 * <p>The caller has checked names and sizes of the inputs against the signature, and types and
 * shapes too where {@link ModelMetadata#shapesBind} says so.
 */
public interface ModelSession extends AutoCloseable {
  /** Read from the model when it was opened. */
  ModelMetadata metadata();

  /**
   * Runs the model on these tensors, now, on this thread.
   *
   * @param inputs borrowed: stay the caller's, untouched; optional ones may be missing
   * @param outputs which outputs to compute, in the order to return them
   * @return one tensor per wanted output, owned by the caller
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if the model refuses the
   *     inputs, INTERNAL if it fails, CANCELLED if it was interrupted; nothing is left open
   */
  List<NamedTensor> run(Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs);

  /**
   * Runs the model as {@link #run(Signature, List, List)} does, and lets it write outputs over
   * inputs, if it can: such an output is a view of its input, which stays the caller's.
   *
   * @param inPlace the outputs that may be written over inputs of their size, with the names of
   *     these
   */
  default List<NamedTensor> run(
      Signature signature,
      List<NamedTensor> inputs,
      List<TensorSpec> outputs,
      Map<String, String> inPlace) {
    return run(signature, inputs, outputs);
  }

  /**
   * Ends the run in flight, and any later one, as soon as the runtime can. Idempotent; a runtime
   * that cannot does nothing. Any thread, any number of times, until the session is closed.
   */
  default void interrupt() {}

  /** Returns whether {@link #interrupt} ends a run, as soon as its operator under way has ended. */
  default boolean isInterruptible() {
    return false;
  }

  /**
   * Returns another session over what this one has loaded, which takes no more of the model's
   * memory; empty if the runtime has no such sessions, or this one and all that share it are
   * closed. Each is closed by itself. Any thread, also while this one runs or after it was closed.
   */
  default Optional<ModelSession> share() {
    return Optional.empty();
  }

  /**
   * Returns whether runs at once, on sessions that {@link #share} what is loaded, answer as they
   * would one after the other: no run changes what another one reads. Any thread.
   */
  default boolean runsAreIndependent() {
    return false;
  }

  /** Returns what says how long a run takes. Any thread. */
  default RunTimeBasis runTimeBasis() {
    return RunTimeBasis.VALUES;
  }

  /** Lets runs be runs again after {@link #interrupt}. Any thread. */
  default void resume() {}

  /**
   * Ends the session by force, and a run under way with it, where it has a process of its own; one
   * that shares the server's process does nothing. Any thread.
   *
   * @param why for those whose run it ends
   * @return whether it ends
   */
  default boolean abort(String why) {
    return false;
  }

  /**
   * Completes with the reason when the session has ended by itself, as one does whose process died:
   * it runs nothing any more and is to be closed. One in the server's process never completes it.
   */
  default CompletionStage<String> ended() {
    return new CompletableFuture<>();
  }

  /** Returns the process that runs it, if it is not the server's own. Any thread. */
  default Optional<ProcessHandle> process() {
    return Optional.empty();
  }

  /** Returns the tokenizer of a session that takes text; empty if it has none. */
  default Optional<ModelTokenizer> tokenizer() {
    return Optional.empty();
  }

  /** Returns what the server makes of the model, in one sentence; empty if nothing is changed. */
  default Optional<String> advice() {
    return Optional.empty();
  }

  @Override
  void close();
}
