package dev.sluice.inference;

import java.util.Collections;
import java.util.EnumSet;
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
 * @param maxBatchSize rows (dimension 0) that may be joined in one run; 0 if the model's first
 *     dimension is not known to be a batch
 * @param classLabels by output, the names of its classes in their order; empty for most models
 * @param parameters names of what a request may say besides its inputs, which the model heeds
 * @param traits what else is true of it
 */
public record ModelMetadata(
    String platform,
    Map<String, Signature> signatures,
    int maxBatchSize,
    Map<String, List<String>> classLabels,
    Set<String> parameters,
    Set<Trait> traits) {
  /** A fact about a model that is true or not. */
  public enum Trait {
    /**
     * A tensor must have the declared type and fit the declared shape. A SavedModel's are only a
     * hint: its graph decides, as under TensorFlow Serving.
     */
    SHAPES_BIND,
    /**
     * A request may have any number of responses, so that it is answered by a stream only: {@link
     * DataPlane#inferStream}.
     */
    DECOUPLED,
    /**
     * A request for a stream may have any number of responses, and one for a single answer has one,
     * as of a plugin that is written for both.
     */
    STREAMS,
    /** A stream of it can be answered whole as well: {@link DataPlane#infer} puts it together. */
    WHOLE,
    /**
     * The time that a request itself names is for its queue alone, by the model's own policy; else
     * the request has expired after it.
     */
    QUEUE_TIMEOUTS,
    /**
     * The model takes any inputs and gives any outputs besides those of its signature, as a plugin
     * may.
     */
    OPEN,
    /** A SavedModel's signature may only be called as its method name says. */
    METHODS_BIND,
    /** The model may heed any parameter of a request, not only those that are named. */
    ANY_PARAMETERS
  }

  /** Copies the collections. */
  public ModelMetadata {
    signatures = Collections.unmodifiableMap(new LinkedHashMap<>(signatures));
    classLabels = Map.copyOf(classLabels);
    parameters = Set.copyOf(parameters);
    traits = copy(traits);
  }

  /** A model that answers each request once, and whose classes have no names. */
  public ModelMetadata(
      String platform, Map<String, Signature> signatures, boolean shapesBind, int maxBatchSize) {
    this(
        platform,
        signatures,
        maxBatchSize,
        Map.of(),
        Set.of(),
        shapesBind ? EnumSet.of(Trait.SHAPES_BIND) : EnumSet.noneOf(Trait.class));
  }

  private static Set<Trait> copy(Set<Trait> traits) {
    Set<Trait> copy = EnumSet.noneOf(Trait.class);
    copy.addAll(traits);
    return Collections.unmodifiableSet(copy);
  }

  /** Returns the named signature; an empty name means {@link Signature#DEFAULT}. */
  public Optional<Signature> signature(String name) {
    return Optional.ofNullable(signatures.get(name.isEmpty() ? Signature.DEFAULT : name));
  }

  /** Returns whether a tensor must be as declared: {@link Trait#SHAPES_BIND}. */
  public boolean shapesBind() {
    return traits.contains(Trait.SHAPES_BIND);
  }

  /** Returns whether a request may have any number of responses: {@link Trait#DECOUPLED}. */
  public boolean decoupled() {
    return traits.contains(Trait.DECOUPLED);
  }

  /**
   * Returns whether a request for a stream may have any number of responses: {@link
   * Trait#DECOUPLED} or {@link Trait#STREAMS}.
   */
  public boolean streams() {
    return decoupled() || traits.contains(Trait.STREAMS);
  }

  /** Returns whether a request can have one answer: {@link DataPlane#infer}. */
  public boolean answersOnce() {
    return !decoupled() || whole();
  }

  /** Returns whether one answer is put together of a stream: {@link Trait#WHOLE}. */
  public boolean whole() {
    return traits.contains(Trait.WHOLE);
  }

  /** Returns whether a request's time is for its queue alone: {@link Trait#QUEUE_TIMEOUTS}. */
  public boolean queueTimeouts() {
    return traits.contains(Trait.QUEUE_TIMEOUTS);
  }

  /** Returns whether it takes any inputs and gives any outputs: {@link Trait#OPEN}. */
  public boolean open() {
    return traits.contains(Trait.OPEN);
  }

  /** Returns whether signatures are called as their methods say: {@link Trait#METHODS_BIND}. */
  public boolean methodsBind() {
    return traits.contains(Trait.METHODS_BIND);
  }

  /** Returns whether it heeds anything that a request may say besides its inputs. */
  public boolean heedsParameters() {
    return anyParameters() || !parameters.isEmpty();
  }

  /** Returns whether it may heed any parameter: {@link Trait#ANY_PARAMETERS}. */
  public boolean anyParameters() {
    return traits.contains(Trait.ANY_PARAMETERS);
  }

  /** Returns the same model heeding any parameter, or not. */
  public ModelMetadata withAnyParameters(boolean answer) {
    return with(Trait.ANY_PARAMETERS, answer);
  }

  /** Returns the same model, answering each request once or by a stream. */
  public ModelMetadata withDecoupled(boolean answer) {
    return with(Trait.DECOUPLED, answer);
  }

  /**
   * Returns the same model, answering a request for a stream by any number of responses, or not.
   */
  public ModelMetadata withStreams(boolean answer) {
    return with(Trait.STREAMS, answer);
  }

  /** Returns the same model with a batch size from its settings. */
  public ModelMetadata withMaxBatchSize(int size) {
    return new ModelMetadata(platform, signatures, size, classLabels, parameters, traits);
  }

  /** Returns the same model with names of its outputs' classes. */
  public ModelMetadata withClassLabels(Map<String, List<String>> labels) {
    return new ModelMetadata(platform, signatures, maxBatchSize, labels, parameters, traits);
  }

  /** Returns the same model called in other ways. */
  public ModelMetadata withSignatures(Map<String, Signature> others) {
    return new ModelMetadata(platform, others, maxBatchSize, classLabels, parameters, traits);
  }

  /** Returns the same model with shapes that requests must have. */
  public ModelMetadata withShapesBinding() {
    return with(Trait.SHAPES_BIND, true);
  }

  /** Returns the same model taking any inputs and giving any outputs, or not. */
  public ModelMetadata withOpen(boolean answer) {
    return with(Trait.OPEN, answer);
  }

  /** Returns the same model, one answer of which is put together of a stream. */
  public ModelMetadata withWhole() {
    return with(Trait.WHOLE, true);
  }

  /** Returns the same model heeding these parameters of requests. */
  public ModelMetadata withParameters(Set<String> names) {
    return new ModelMetadata(platform, signatures, maxBatchSize, classLabels, names, traits);
  }

  /** Returns the same model with a queue policy of its own, or not. */
  public ModelMetadata withQueueTimeouts(boolean answer) {
    return with(Trait.QUEUE_TIMEOUTS, answer);
  }

  /**
   * Returns the same model whose signatures may only be called as their method names say, or not.
   */
  public ModelMetadata withMethodsBinding(boolean answer) {
    return with(Trait.METHODS_BIND, answer);
  }

  private ModelMetadata with(Trait trait, boolean answer) {
    Set<Trait> others = EnumSet.noneOf(Trait.class);
    others.addAll(traits);
    if (answer) {
      others.add(trait);
    } else {
      others.remove(trait);
    }
    return new ModelMetadata(platform, signatures, maxBatchSize, classLabels, parameters, others);
  }
}
