package dev.sluice.scheduling.caching;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A copy of an answer's outputs in native memory, which is shared by all answers made of it. The
 * cache holds it until it is evicted; a thread that copies it at that moment holds it too. Any
 * thread.
 */
final class CachedResponse {
  private record Output(String name, SharedTensor tensor) {
    NamedTensor share() {
      return new NamedTensor(name, tensor.all());
    }
  }

  private final List<Output> outputs = new ArrayList<>();
  private final AtomicInteger holders = new AtomicInteger(1);
  private long bytes;

  /**
   * Copies a tensor: an output may be a slice of a whole batch, which is not to be kept for its
   * sake.
   */
  static CachedResponse copyOf(InferenceResponse response) {
    var kept = new CachedResponse();
    try {
      for (NamedTensor output : response.outputs()) {
        kept.outputs.add(new Output(output.name(), new SharedTensor(copy(output.tensor()))));
        kept.bytes += output.tensor().byteSize();
      }
      return kept;
    } catch (RuntimeException | Error e) {
      kept.release();
      throw e;
    }
  }

  private static Tensor copy(Tensor tensor) {
    if (tensor.type() == DataType.BYTES) {
      try (var builder = new TensorBuilder(DataType.BYTES, tensor.byteSize())) {
        builder.putRaw(tensor.data(), 0, tensor.byteSize(), tensor.elementCount());
        return builder.build(tensor.shape());
      }
    }
    Tensor copy = Tensor.allocate(tensor.type(), tensor.shape());
    copy.data().copyFrom(tensor.data());
    return copy;
  }

  long byteSize() {
    return bytes;
  }

  /** False if it is freed already. Otherwise to be followed by {@link #release}. */
  boolean acquire() {
    int seen = holders.get();
    while (seen > 0) {
      if (holders.compareAndSet(seen, seen + 1)) {
        return true;
      }
      seen = holders.get();
    }
    return false;
  }

  void release() {
    if (holders.decrementAndGet() == 0) {
      outputs.forEach(output -> output.tensor().close());
    }
  }

  /** Returns the answer once more, for an equal request. Valid while it is held. */
  InferenceResponse answer(InferenceRequest request) {
    List<NamedTensor> shared = new ArrayList<>(outputs.size());
    if (request.outputs().isEmpty()) {
      outputs.forEach(output -> shared.add(output.share()));
    } else {
      request.outputs().forEach(wanted -> shared.add(output(wanted).share()));
    }
    return new InferenceResponse(request.model().id(), request.signature(), shared);
  }

  private Output output(String name) {
    return outputs.stream().filter(each -> each.name.equals(name)).findFirst().orElseThrow();
  }
}
