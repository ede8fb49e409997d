package dev.sluice.serving.answers;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.generator.LogProbOutputs;
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
 * joined, what there is of each token is listed, and of other outputs the last one counts. Owns the
 * text so far, in native memory, which is counted as all tensors are, and the last response, until
 * the answer is made or the stream has failed. Of the caller's event loop.
 */
public final class WholeText implements Flow.Subscriber<InferenceResponse> {
  /** Responses that are asked for ahead. */
  private static final int AHEAD = 16;

  private static final int CAPACITY = 256;

  private final Promise<InferenceResponse> promise = Promise.promise();
  private final Map<String, TensorBuilder> texts = new HashMap<>();
  private @Nullable InferenceResponse last;
  private Flow.@Nullable Subscription subscription;

  /** Returns the answer, later; the caller's to close. */
  public Future<InferenceResponse> response() {
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
    if (LogProbOutputs.NAMES.contains(output.name())) {
      list(output);
      return;
    }
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

  private void list(NamedTensor output) {
    Tensor tensor = output.tensor();
    texts
        .computeIfAbsent(output.name(), _ -> new TensorBuilder(tensor.type(), CAPACITY))
        .putRaw(tensor.data(), 0, tensor.byteSize(), tensor.elementCount());
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
    TensorBuilder built = texts.get(output.name());
    if (built == null) {
      return output;
    }
    try (Tensor last = output.tensor()) {
      boolean listed = LogProbOutputs.NAMES.contains(output.name());
      Shape shape = listed ? listed(last.shape(), built.elements()) : Shape.of(1);
      return new NamedTensor(output.name(), built.build(shape));
    }
  }

  /** Returns {@code [1, tokens]}, or {@code [1, tokens, top]}. */
  private static Shape listed(Shape last, long elements) {
    return last.rank() == 2
        ? Shape.of(1, elements)
        : Shape.of(1, elements / last.dim(2), last.dim(2));
  }
}
