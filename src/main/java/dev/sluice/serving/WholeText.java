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
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Puts the responses of a stream of text together, for a caller that wants one answer: texts are
 * joined, and of other outputs the last one counts. Holds no more than the text, and one response.
 * Of the caller's event loop.
 */
final class WholeText implements Flow.Subscriber<InferenceResponse> {
  /** Responses that are asked for ahead. */
  private static final int AHEAD = 16;

  private final Promise<InferenceResponse> promise = Promise.promise();
  private final Map<String, ByteArrayOutputStream> texts = new HashMap<>();
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
    drop();
    last = response;
    for (NamedTensor output : response.outputs()) {
      if (output.tensor().type() == DataType.BYTES) {
        var text = texts.computeIfAbsent(output.name(), _ -> new ByteArrayOutputStream());
        var elements = new BytesElements(output.tensor());
        while (elements.next()) {
          text.writeBytes(elements.toArray());
        }
      }
    }
    Objects.requireNonNull(subscription).request(1);
  }

  private void drop() {
    if (last != null) {
      last.close();
      last = null;
    }
  }

  @Override
  public void onError(Throwable failure) {
    drop();
    promise.fail(failure);
  }

  @Override
  public void onComplete() {
    InferenceResponse response = last;
    if (response == null) {
      promise.fail(new InferenceException(ErrorCode.INTERNAL, "the model has said nothing"));
      return;
    }
    List<NamedTensor> whole = new ArrayList<>(response.outputs().size());
    for (NamedTensor output : response.outputs()) {
      var text = texts.get(output.name());
      whole.add(text == null ? output : joined(output, text.toByteArray()));
    }
    promise.complete(response.withOutputs(whole));
  }

  private static NamedTensor joined(NamedTensor piece, byte[] text) {
    try (Tensor _ = piece.tensor();
        var joined = new TensorBuilder(DataType.BYTES, Integer.BYTES + text.length)) {
      joined.putBytes(text, 0, text.length);
      return new NamedTensor(piece.name(), joined.build(Shape.of(1)));
    }
  }
}
