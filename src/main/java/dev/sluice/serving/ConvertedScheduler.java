package dev.sluice.serving;

import dev.sluice.extension.Answer;
import dev.sluice.extension.Converter;
import dev.sluice.extension.Value;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.plugin.PluginCall;
import dev.sluice.runtime.plugin.PluginValues;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.serving.plugin.PluginRequest;
import dev.sluice.serving.plugin.PluginResponses;
import dev.sluice.serving.plugin.PluginVersion;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests by a model with a converter around it: one call of the code, the model's own
 * queue, one more call. The request stays open until all three are done.
 *
 * @param answers what callers get
 * @param inner what the model itself takes and gives
 */
record ConvertedScheduler(
    PluginVersion version,
    Converter converter,
    PluginResponses answers,
    Servable model,
    Signature inner)
    implements Scheduler {
  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    var before = new Before(request);
    return before
        .ask()
        .compose(step -> model.scheduler().submit(step))
        .compose(response -> new After(before, response).ask())
        .onComplete(_ -> request.close());
  }

  @Override
  public void close() {
    model.scheduler().close();
    version.answering().close();
  }

  /** One of the two calls. */
  private abstract class Part<T> extends PluginCall<T> {
    final InferenceRequest request;
    final Context callerContext;
    private final Promise<T> result = Promise.promise();

    Part(InferenceRequest request, Context callerContext) {
      super(version.answering(), version.code(), version.limit());
      this.request = request;
      this.callerContext = callerContext;
    }

    Future<T> ask() {
      request.onCancel(() -> giveUp(PluginVersion.left(request)));
      if (request.isCancelled()) {
        giveUp(PluginVersion.left(request));
      } else {
        start(request.deadline());
      }
      return result.future();
    }

    @Override
    protected void succeeded(T given) {
      callerContext.runOnContext(_ -> result.complete(given));
    }

    @Override
    protected void failed(InferenceException why) {
      version.meters().failed(why);
      callerContext.runOnContext(_ -> result.fail(why));
    }
  }

  private final class Before extends Part<InferenceRequest> {
    private @Nullable PluginRequest view;

    Before(InferenceRequest request) {
      super(request, version.callerContext());
    }

    PluginRequest view() {
      return Objects.requireNonNull(view);
    }

    @Override
    protected void prepare() {
      view = PluginRequest.of(request, this);
    }

    @Override
    protected InferenceRequest call() throws Exception {
      List<Value> converted = converter.before(view());
      List<NamedTensor> tensors = PluginValues.tensors(converted);
      InferenceRequest step = request.step(inner, tensors, List.of());
      try {
        RequestValidator.require(step, model.metadata().shapesBind());
        return step;
      } catch (InferenceException e) {
        step.close();
        throw new InferenceException(
            ErrorCode.INTERNAL, "the converter does not fit the model: " + e.getMessage(), e);
      }
    }

    @Override
    protected void discard(InferenceRequest step) {
      step.close();
    }
  }

  private final class After extends Part<InferenceResponse> {
    private final PluginRequest view;
    private final InferenceResponse response;
    private @Nullable Answer answer;

    After(Before before, InferenceResponse response) {
      super(before.request, before.callerContext);
      this.view = before.view().during(this);
      this.response = response;
    }

    @Override
    protected void prepare() {
      try (response) {
        answer =
            new Answer(
                PluginValues.of(response.outputs()),
                PluginValues.parameters(response.parameters()));
      }
    }

    @Override
    protected InferenceResponse call() throws Exception {
      return answers.respond(request, converter.after(view, Objects.requireNonNull(answer)), true);
    }

    @Override
    protected void failed(InferenceException why) {
      response.close();
      super.failed(why);
    }

    @Override
    protected void discard(InferenceResponse late) {
      late.close();
    }
  }
}
