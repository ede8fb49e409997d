package dev.sluice.serving;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Puts the responses of a stream of text together, for a caller that wants one answer: texts are
 * joined, and of other outputs the last one counts. Owns the text so far, in native memory, which
 * is counted as all tensors are, and the last response, until the answer is made or the stream has
 * failed. Of the caller's event loop.
 */
final class WholeText implements Flow.Subscriber<InferenceResponse> {
  /** Responses that are asked for ahead. */
  private static final int AHEAD = 16;

  private static final int CAPACITY = 256;

  private final Promise<InferenceResponse> promise = Promise.promise();
  private final Map<String, TensorBuilder> texts = new HashMap<>();
  private @Nullable InferenceResponse last;
  private Flow.@Nullable Subscription subscription;

  /** Returns the answer, later; the caller's to close. */
  Future<InferenceResponse> response() {
    return promise.future();
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(AHEAD);
  }

  @Override
  public void onNext(InferenceResponse response) {
    Flow.Subscription stream = Objects.requireNonNull(subscription);
    drop();
    last = response;
    try {
      response.outputs().forEach(this::append);
    } catch (RuntimeException | Error e) {
      stream.cancel();
      onError(e);
      return;
    }
    stream.request(1);
  }

  private void append(NamedTensor output) {
    if (output.tensor().type() != DataType.BYTES) {
      return;
    }
    TensorBuilder text = texts.get(output.name());
    var elements = new BytesElements(output.tensor());
    while (elements.next()) {
      if (text == null) {
        text = new TensorBuilder(DataType.BYTES, CAPACITY);
        texts.put(output.name(), text);
        text.putBytes(elements.data(), elements.offset(), elements.length());
      } else {
        text.extendBytes(elements.data(), elements.offset(), elements.length());
      }
    }
  }

  private void drop() {
    if (last != null) {
      last.close();
      last = null;
    }
  }

  private void dropTexts() {
    texts.values().forEach(TensorBuilder::close);
    texts.clear();
  }

  @Override
  public void onError(Throwable failure) {
    drop();
    dropTexts();
    promise.tryFail(failure);
  }

  @Override
  public void onComplete() {
    InferenceResponse response = last;
    if (response == null) {
      promise.fail(new InferenceException(ErrorCode.INTERNAL, "the model has said nothing"));
      return;
    }
    last = null;
    List<NamedTensor> whole = new ArrayList<>(response.outputs().size());
    response.outputs().forEach(output -> whole.add(whole(output)));
    dropTexts();
    promise.complete(response.withOutputs(whole));
  }

  /** Returns this output, or its whole text in its place. */
  private NamedTensor whole(NamedTensor output) {
    TensorBuilder text = texts.get(output.name());
    if (text == null) {
      return output;
    }
    try (Tensor _ = output.tensor()) {
      return new NamedTensor(output.name(), text.build(Shape.of(1)));
    }
  }
}
