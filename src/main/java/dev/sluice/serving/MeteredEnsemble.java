package dev.sluice.serving;

import dev.sluice.inference.ComposingModelTimes;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.RequestTrace;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import io.vertx.core.Future;
import java.util.List;

/**
 * Counts the requests of an ensemble; its members count their own runs.
 *
 * @param next answers them
 * @param metadata declares whether dimension 0 of its inputs counts inferences
 */
record MeteredEnsemble(Scheduler next, VersionMeter meter, ModelMetadata metadata)
    implements Scheduler {
  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    long since = meter.now();
    long inferences = inferences(request);
    ComposingModelTimes outer = request.times();
    ComposingModelTimes times = ComposingModelTimes.within(outer);
    request.addTimesTo(times);
    return next.submit(request)
        .onComplete(
            response -> {
              traced(request, response);
              meter.composed(inferences, since, times);
              if (outer != null) {
                outer.add(times);
              }
            },
            failure -> meter.composedFailed(reason(failure), since));
  }

  private void traced(InferenceRequest request, InferenceResponse response) {
    RequestTrace trace = request.trace();
    if (trace != null) {
      trace.outputs(response.outputs());
      trace.answered(meter.now());
    }
  }

  /** Returns how many inferences a request counts as. */
  long inferences(InferenceRequest request) {
    return metadata.maxBatchSize() > 0 ? rows(request.inputs()) : 1;
  }

  private static long rows(List<NamedTensor> inputs) {
    if (inputs.isEmpty()) {
      return 1;
    }
    Shape shape = inputs.getFirst().tensor().shape();
    return shape.rank() == 0 ? 1 : Math.max(1, shape.dim(0));
  }

  static FailureReason reason(Throwable failure) {
    return switch (ErrorCode.of(failure)) {
      case CANCELLED -> FailureReason.CANCELED;
      case RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED -> FailureReason.REJECTED;
      case INTERNAL, DATA_LOSS, ABORTED, ALREADY_EXISTS -> FailureReason.BACKEND;
      case INVALID_ARGUMENT,
          NOT_FOUND,
          FAILED_PRECONDITION,
          UNAUTHENTICATED,
          PERMISSION_DENIED,
          UNIMPLEMENTED,
          TOO_LARGE,
          UNAVAILABLE,
          OUT_OF_RANGE,
          UNKNOWN ->
          FailureReason.OTHER;
    };
  }

  @Override
  public void close() {
    next.close();
  }
}
