package dev.sluice.runtime.onnx;

import dev.sluice.config.model.OnnxConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.RunTimeBasis;
import dev.sluice.runtime.onnx.graph.GraphFacts;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One ONNX model, loaded, or a share of one: a session of the runtime may be run by several threads
 * at once, each with run options, names and arrays of its own.
 *
 * <p>Interruptible: a run in flight ends at the next operator. Sessions that share a loaded model
 * count references; the last one to be closed frees it. Closing is idempotent.
 */
final class OnnxSession implements ModelSession {
  private static final Logger LOG = LoggerFactory.getLogger(OnnxSession.class);

  private final ModelMetadata metadata;
  private final SessionHandle handle;
  private final GraphFacts graph;
  private final OnnxRun run;
  private final boolean hasInputs;
  private final RunTimeBasis runTimeBasis;
  private boolean closed;

  /** Takes over one use of the native session, unless this fails. */
  private OnnxSession(SessionHandle handle, ModelMetadata metadata, GraphFacts graph) {
    Signature signature = metadata.signatures().values().iterator().next();
    this.metadata = metadata;
    this.handle = handle;
    this.graph = graph;
    this.run = new OnnxRun(handle, signature, graph.wholeOutputs());
    this.hasInputs = !signature.inputs().isEmpty();
    this.runTimeBasis =
        graph.shapeBound() ? InputRows.runTimeBasis(signature.inputs()) : RunTimeBasis.VALUES;
  }

  /**
   * Opens a model file.
   *
   * @param graph what the file tells of its runs
   * @param memoryLimit bytes that it may take together with others; 0: any number
   */
  static OnnxSession open(Path file, OnnxConfig config, GraphFacts graph, long memoryLimit) {
    long session = OnnxSessionOptions.createSession(file, config, memoryLimit);
    long limit = OnnxSessionOptions.isLimited(config, memoryLimit) ? memoryLimit : 0;
    try {
      ModelMetadata metadata = OnnxMetadataReader.read(session);
      boolean single = config.threads().isSingle(OnnxSessionOptions.CORES);
      GraphFacts known = single ? graph : graph.withoutShapeBound();
      return new OnnxSession(new SessionHandle(session, limit), metadata, known);
    } catch (RuntimeException e) {
      OrtApi.releaseSession(session);
      throw e;
    }
  }

  @Override
  public Optional<ModelSession> share() {
    if (!handle.tryRetain()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new OnnxSession(handle, metadata, graph));
    } catch (RuntimeException | Error e) {
      handle.release();
      throw e;
    }
  }

  /** Returns true: an ONNX graph has no variables, and all that a run writes is its own. */
  @Override
  public boolean runsAreIndependent() {
    return true;
  }

  /** Returns VALUES for runs on several threads, too: they wait for cores that others may have. */
  @Override
  public RunTimeBasis runTimeBasis() {
    return runTimeBasis;
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    return run(signature, inputs, outputs, Map.of());
  }

  @Override
  public List<NamedTensor> run(
      Signature signature,
      List<NamedTensor> inputs,
      List<TensorSpec> outputs,
      Map<String, String> inPlace) {
    if (closed) {
      throw new IllegalStateException("the session is closed");
    }
    try {
      List<NamedTensor> results = run.run(inputs, outputs, inPlace);
      handle.succeeded();
      return results;
    } catch (RunFailure e) {
      throw failure(e);
    }
  }

  /**
   * Returns what the caller learns. The runtime has no code of its own for an operator that refuses
   * what it got; but the operators of a loaded model, whose types and fixed shapes were checked
   * when it was opened, fail for what one request brings: factors of a product that do not go
   * together, an index out of range, a size below nothing. A model without inputs fails by itself.
   * Neither graph nor constants change once they are loaded: a model of which one run succeeded is
   * not broken, and until then the error says that this is not known.
   */
  private InferenceException failure(RunFailure failure) {
    if (run.options().isInterrupted()) {
      return new InferenceException(ErrorCode.CANCELLED, "the run was interrupted");
    }
    ErrorCode code =
        switch (failure.kind()) {
          case REFUSED_INPUT -> ErrorCode.INVALID_ARGUMENT;
          case MEMORY ->
              failure.mayWorkLater(handle.memoryLimit())
                  ? ErrorCode.RESOURCE_EXHAUSTED
                  : ErrorCode.INVALID_ARGUMENT;
          case OPERATOR -> hasInputs ? ErrorCode.INVALID_ARGUMENT : ErrorCode.INTERNAL;
          case OUTPUT_MEMORY, OTHER -> ErrorCode.INTERNAL;
        };
    if (code == ErrorCode.INVALID_ARGUMENT && failure.isOfOperator() && !handle.isProven()) {
      return InferenceException.unprovenModel(code, text(failure));
    }
    return new InferenceException(code, text(failure));
  }

  private String text(RunFailure failure) {
    return failure.kind() == RunFailure.Kind.MEMORY
        ? "the request asks the model for more memory than there is%s: %s"
            .formatted(limit(), failure.getMessage())
        : failure.getMessage();
  }

  private String limit() {
    return handle.memoryLimit() == 0
        ? ""
        : " (limits.onnx_memory is " + handle.memoryLimit() + " bytes)";
  }

  @Override
  public void interrupt() {
    run.options().interrupt();
  }

  @Override
  public boolean isInterruptible() {
    return true;
  }

  @Override
  public void resume() {
    run.options().resume();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      run.close();
      handle.release();
      shrinkArena();
    }
  }

  /**
   * Here and not where the last output is closed, which an event loop does. The session is closed
   * whether the runs of others leave room for this or not.
   */
  private void shrinkArena() {
    if (handle.memoryLimit() > 0) {
      try {
        SharedArena.shrink();
      } catch (RuntimeException e) {
        LOG.debug("the shared arena is not shrunk: {}", e.getMessage());
      }
    }
  }
}
