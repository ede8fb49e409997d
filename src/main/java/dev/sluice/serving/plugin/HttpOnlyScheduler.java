package dev.sluice.serving.plugin;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.Scheduler;
import io.vertx.core.Future;

/**
 * For a plugin that only answers HTTP requests.
 *
 * <p>Inference by other protocols fails with UNIMPLEMENTED in the words of each.
 */
public record HttpOnlyScheduler(ModelId model) implements Scheduler {
  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    request.close();
    return Future.failedFuture(
        new InferenceException(
            ErrorCode.UNIMPLEMENTED,
            "model '" + model.name() + "' has no inputs: its code answers HTTP requests only"));
  }

  @Override
  public void close() {
    // Nothing waits here.
  }
}
