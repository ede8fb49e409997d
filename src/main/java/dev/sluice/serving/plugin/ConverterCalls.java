package dev.sluice.serving.plugin;

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
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a converter: one before the model, and one behind it for each of its responses.
 *
 * @param answers what callers get
 * @param inner what the model itself takes and gives
 * @param validator refuses requests that the model does not take
 * @param scheduler answers by the model itself
 * @param streams answers by streams of the model itself
 */
public record ConverterCalls(
    PluginVersion version,
    Converter converter,
    PluginResponses answers,
    Signature inner,
    Consumer<InferenceRequest> validator,
    Scheduler scheduler,
    StreamScheduler streams) {
  /** Returns the call that makes the model's request of a caller's. On the caller's event loop. */
  Before before(InferenceRequest request) {
    return new Before(request);
  }

  /**
   * Returns the call that makes the caller's response of the model's.
   *
   * @param response taken over
   */
  After after(Before before, InferenceResponse response) {
    return new After(before, response);
  }

  /** One call. */
  abstract class Part<T> extends PluginCall<T> {
    final InferenceRequest request;
    final Context callerContext;
    private final Promise<T> result = Promise.promise();

    Part(InferenceRequest request, Context callerContext) {
      super(version.answering(), version.code(), version.limit());
      this.request = request;
      this.callerContext = callerContext;
    }

    /** Runs the code, and is given up if the request is cancelled. */
    Future<T> ask() {
      request.onCancel(this::leave);
      return begin();
    }

    /** Runs the code. */
    Future<T> begin() {
      if (request.isCancelled()) {
        leave();
      } else {
        start(request.deadline());
      }
      return result.future();
    }

    /** Gives the call up: the caller has left. Any thread. */
    final void leave() {
      giveUp(PluginVersion.left(request));
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

  /** The call before the model. */
  final class Before extends Part<InferenceRequest> {
    private @Nullable PluginRequest view;

    private Before(InferenceRequest request) {
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
        validator.accept(step);
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

  /** The call behind the model. */
  final class After extends Part<InferenceResponse> {
    private final PluginRequest view;
    private final InferenceResponse response;
    private @Nullable Answer answer;

    private After(Before before, InferenceResponse response) {
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
      Answer converted = converter.after(view, Objects.requireNonNull(answer));
      return answers.message(request, converted, response.last());
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
