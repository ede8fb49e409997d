package dev.sluice.inference;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a model says of itself.
 *
 * @param platform the format in the Open Inference Protocol's words: {@code onnxruntime_onnx} or
 *     {@code tensorflow_savedmodel}
 * @param signatures by name, in the order the model declares them
 * @param shapesBind whether a tensor must fit the declared shape. A SavedModel's shapes are only a
 *     hint: its graph decides, as under TensorFlow Serving
 * @param maxBatchSize rows (dimension 0) that may be joined in one run; 0 if the model's first
 *     dimension is not known to be a batch
 * @param decoupled whether a request may have any number of responses, so that it is answered by a
 *     stream only: {@link DataPlane#inferStream}
 */
public record ModelMetadata(
    String platform,
    Map<String, Signature> signatures,
    boolean shapesBind,
    int maxBatchSize,
    boolean decoupled) {
  public ModelMetadata {
    signatures = Collections.unmodifiableMap(new LinkedHashMap<>(signatures));
  }

  /** A model that answers each request once. */
  public ModelMetadata(
      String platform, Map<String, Signature> signatures, boolean shapesBind, int maxBatchSize) {
    this(platform, signatures, shapesBind, maxBatchSize, false);
  }

  /** The named signature; an empty name means {@link Signature#DEFAULT}. */
  public Optional<Signature> signature(String name) {
    return Optional.ofNullable(signatures.get(name.isEmpty() ? Signature.DEFAULT : name));
  }

  /** The same model, answering each request once or by a stream. */
  public ModelMetadata withDecoupled(boolean answer) {
    return new ModelMetadata(platform, signatures, shapesBind, maxBatchSize, answer);
  }

  /** The same model with a batch size from its settings. */
  public ModelMetadata withMaxBatchSize(int size) {
    return new ModelMetadata(platform, signatures, shapesBind, size, decoupled);
  }
}
