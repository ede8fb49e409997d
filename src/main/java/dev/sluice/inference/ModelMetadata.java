package dev.sluice.inference;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A model's description of itself.
 *
 * @param platform the format in the Open Inference Protocol's words: {@code onnxruntime_onnx} or
 *     {@code tensorflow_savedmodel}
 * @param signatures by name, in the order the model declares them
 * @param shapesBind whether a tensor must have the declared type and fit the declared shape. A
 *     SavedModel's are only a hint: its graph decides, as under TensorFlow Serving
 * @param maxBatchSize rows (dimension 0) that may be joined in one run; 0 if the model's first
 *     dimension is not known to be a batch
 * @param decoupled whether a request may have any number of responses, so that it is answered by a
 *     stream only: {@link DataPlane#inferStream}
 * @param classLabels by output, the names of its classes in their order; empty for most models
 * @param queueTimeouts whether the time that a request itself names is for its queue alone, by the
 *     model's own policy; else the request has expired after it
 * @param open whether it takes any inputs and gives any outputs besides those of its signature, as
 *     a plugin may
 * @param parameters names of what a request may say besides its inputs, which the model heeds
 * @param methodsBind whether a SavedModel's signature may only be called as its method name says
 */
public record ModelMetadata(
    String platform,
    Map<String, Signature> signatures,
    boolean shapesBind,
    int maxBatchSize,
    boolean decoupled,
    Map<String, List<String>> classLabels,
    boolean queueTimeouts,
    boolean open,
    Set<String> parameters,
    boolean methodsBind) {
  public ModelMetadata {
    signatures = Collections.unmodifiableMap(new LinkedHashMap<>(signatures));
    classLabels = Map.copyOf(classLabels);
    parameters = Set.copyOf(parameters);
  }

  /** A model that answers each request once, and whose classes have no names. */
  public ModelMetadata(
      String platform, Map<String, Signature> signatures, boolean shapesBind, int maxBatchSize) {
    this(
        platform,
        signatures,
        shapesBind,
        maxBatchSize,
        false,
        Map.of(),
        false,
        false,
        Set.of(),
        false);
  }

  /** Returns the named signature; an empty name means {@link Signature#DEFAULT}. */
  public Optional<Signature> signature(String name) {
    return Optional.ofNullable(signatures.get(name.isEmpty() ? Signature.DEFAULT : name));
  }

  /** Returns the same model, answering each request once or by a stream. */
  public ModelMetadata withDecoupled(boolean answer) {
    return new ModelMetadata(
        platform,
        signatures,
        shapesBind,
        maxBatchSize,
        answer,
        classLabels,
        queueTimeouts,
        open,
        parameters,
        methodsBind);
  }

  /** Returns the same model with a batch size from its settings. */
  public ModelMetadata withMaxBatchSize(int size) {
    return new ModelMetadata(
        platform,
        signatures,
        shapesBind,
        size,
        decoupled,
        classLabels,
        queueTimeouts,
        open,
        parameters,
        methodsBind);
  }

  /** Returns the same model with names of its outputs' classes. */
  public ModelMetadata withClassLabels(Map<String, List<String>> labels) {
    return new ModelMetadata(
        platform,
        signatures,
        shapesBind,
        maxBatchSize,
        decoupled,
        labels,
        queueTimeouts,
        open,
        parameters,
        methodsBind);
  }

  /** Returns the same model called in other ways. */
  public ModelMetadata withSignatures(Map<String, Signature> others) {
    return new ModelMetadata(
        platform,
        others,
        shapesBind,
        maxBatchSize,
        decoupled,
        classLabels,
        queueTimeouts,
        open,
        parameters,
        methodsBind);
  }

  /** Returns the same model with shapes that requests must have. */
  public ModelMetadata withShapesBinding() {
    return new ModelMetadata(
        platform,
        signatures,
        true,
        maxBatchSize,
        decoupled,
        classLabels,
        queueTimeouts,
        open,
        parameters,
        methodsBind);
  }

  /** Returns the same model taking any inputs and giving any outputs, or not. */
  public ModelMetadata withOpen(boolean answer) {
    return new ModelMetadata(
        platform,
        signatures,
        shapesBind,
        maxBatchSize,
        decoupled,
        classLabels,
        queueTimeouts,
        answer,
        parameters,
        methodsBind);
  }

  /** Returns the same model heeding these parameters of requests. */
  public ModelMetadata withParameters(Set<String> names) {
    return new ModelMetadata(
        platform,
        signatures,
        shapesBind,
        maxBatchSize,
        decoupled,
        classLabels,
        queueTimeouts,
        open,
        names,
        methodsBind);
  }

  /** Returns the same model with a queue policy of its own, or not. */
  public ModelMetadata withQueueTimeouts(boolean answer) {
    return new ModelMetadata(
        platform,
        signatures,
        shapesBind,
        maxBatchSize,
        decoupled,
        classLabels,
        answer,
        open,
        parameters,
        methodsBind);
  }

  /**
   * Returns the same model whose signatures may only be called as their method names say, or not.
   */
  public ModelMetadata withMethodsBinding(boolean answer) {
    return new ModelMetadata(
        platform,
        signatures,
        shapesBind,
        maxBatchSize,
        decoupled,
        classLabels,
        queueTimeouts,
        open,
        parameters,
        answer);
  }
}
