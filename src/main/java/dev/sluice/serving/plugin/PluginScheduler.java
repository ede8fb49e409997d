package dev.sluice.serving.plugin;

import dev.sluice.extension.Model;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.RequestTrace;
import dev.sluice.runtime.plugin.PluginCall;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.telemetry.meter.RunMeter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests by a plugin: each is one call.
 *
 * <p>Admission control is that of the version's threads: so many calls run at once, a bounded
 * number waits.
 */
public record PluginScheduler(PluginVersion version, Model model, PluginResponses answers)
    implements Scheduler {
  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    var call = new Call(request);
    request.onCancel(() -> call.giveUp(PluginVersion.left(request)));
    if (request.isCancelled()) {
      call.giveUp(PluginVersion.left(request));
    } else {
      call.start(request.deadline());
    }
    return call.answer.future();
  }

  /** Closes nothing: the threads are closed when the version is, and reject by themselves then. */
  @Override
  public void close() {
    version.answering().close();
  }

  private final class Call extends PluginCall<InferenceResponse> {
    private final InferenceRequest request;
    private final Context callerContext = version.callerContext();
    private final long since = version.nanoTime().getAsLong();
    private final Promise<InferenceResponse> answer = Promise.promise();

    private @Nullable PluginRequest view;

    Call(InferenceRequest request) {
      super(version.answering(), version.code(), version.limit());
      this.request = request;
    }

    @Override
    protected void prepare() {
      view = PluginRequest.of(request, this);
    }

    @Override
    protected InferenceResponse call() throws Exception {
      RunMeter meter = version.meters().begin();
      boolean answered = false;
      try {
        InferenceResponse response =
            answers.respond(request, model.run(Objects.requireNonNull(view)), true);
        answered = true;
        RequestTrace trace = request.trace();
        if (trace != null) {
          trace.outputs(response.outputs());
        }
        version.meters().answered(meter, since, request.times(), trace);
        return response;
      } finally {
        if (!answered) {
          version.meters().end(meter);
        }
      }
    }

    @Override
    protected void succeeded(InferenceResponse response) {
      request.close();
      callerContext.runOnContext(_ -> answer.complete(response));
    }

    @Override
    protected void failed(InferenceException why) {
      version.meters().failed(why);
      request.close();
      callerContext.runOnContext(_ -> answer.fail(why));
    }

    @Override
    protected void discard(InferenceResponse response) {
      response.close();
    }
  }
}
