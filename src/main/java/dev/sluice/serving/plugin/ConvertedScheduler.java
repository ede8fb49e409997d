package dev.sluice.serving.plugin;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.Scheduler;
import io.vertx.core.Future;

/**
 * Answers requests by a model with a converter around it: one call of the code, the model's own
 * queue, one more call. The request stays open until all three are done.
 */
public record ConvertedScheduler(ConverterCalls calls) implements Scheduler {
  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    ConverterCalls.Before before = calls.before(request);
    return before
        .ask()
        .compose(step -> calls.scheduler().submit(step))
        .compose(response -> calls.after(before, response).ask())
        .onComplete(_ -> request.close());
  }

  @Override
  public void close() {
    calls.scheduler().close();
    calls.version().answering().close();
  }
}
