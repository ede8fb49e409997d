package dev.sluice.boot.inferencelog;

import dev.sluice.config.server.InferenceLogConfig;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Copies the tensors of one record within its bounds. Of the event loop of its request. */
final class TensorCopies {
  /** Bytes that a tensor costs besides its values. */
  private static final int TENSOR_HEAD = 256;

  private final InferenceLogConfig config;
  private long bytes;

  TensorCopies(InferenceLogConfig config) {
    this.config = config;
  }

  /** Returns copies of tensors, which stay the caller's. */
  List<RecordedTensor> of(String model, List<NamedTensor> tensors) {
    List<RecordedTensor> copies = new ArrayList<>(tensors.size());
    for (NamedTensor named : tensors) {
      copies.add(copy(model, named));
    }
    return copies;
  }

  private RecordedTensor copy(String model, NamedTensor named) {
    Tensor tensor = named.tensor();
    String omitted = whyOmitted(model, named);
    bytes += TENSOR_HEAD;
    if (!omitted.isEmpty()) {
      return new RecordedTensor(named.name(), tensor.type(), tensor.shape(), null, omitted);
    }
    bytes += tensor.byteSize();
    byte[] data = tensor.data().toArray(ValueLayout.JAVA_BYTE);
    return new RecordedTensor(named.name(), tensor.type(), tensor.shape(), data, "");
  }

  private String whyOmitted(String model, NamedTensor named) {
    Tensor tensor = named.tensor();
    if (config.redact().contains(named.name())
        || config.redact().contains(model + "/" + named.name())) {
      return "redacted";
    }
    if (!tensor.type().isCommon()) {
      return "datatype";
    }
    boolean fits =
        tensor.byteSize() <= config.maxTensorSize()
            && bytes + tensor.byteSize() <= config.maxRecordSize();
    return fits ? "" : "size";
  }

  /** Returns how many bytes the copies may take. */
  long most() {
    return Math.max(bytes, config.maxRecordSize());
  }

  /** Returns how many bytes the copies take. */
  long bytes() {
    return bytes;
  }
}
