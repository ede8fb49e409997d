package dev.sluice.tensor;

import java.util.List;

/**
 * The declaration of one input or output of a model.
 *
 * @param name the name that requests and responses use
 * @param type its element type; {@link DataType#UNSUPPORTED} if no protocol here carries it
 * @param shape its declared shape, with open dimensions
 * @param optional of an input: whether a request may leave it out, because the model has a default;
 *     of an output: whether only those get it who ask for it by name
 * @param nativeName what the model's own format calls it, such as {@code x:0} in a SavedModel
 * @param nativeType what the model's own format calls the type, such as {@code DT_FLOAT_REF}
 * @param dimensionNames the model's names of its dimensions, each empty if it has none; none at all
 *     if the format has no such names
 */
public record TensorSpec(
    String name,
    DataType type,
    Shape shape,
    boolean optional,
    String nativeName,
    String nativeType,
    List<String> dimensionNames) {
  public TensorSpec {
    dimensionNames = List.copyOf(dimensionNames);
  }

  /** A tensor whose format has no names of dimensions. */
  public TensorSpec(
      String name,
      DataType type,
      Shape shape,
      boolean optional,
      String nativeName,
      String nativeType) {
    this(name, type, shape, optional, nativeName, nativeType, List.of());
  }

  /** A required tensor whose format has no other names for it. */
  public TensorSpec(String name, DataType type, Shape shape) {
    this(name, type, shape, false, name, type.name());
  }

  /** Returns the same tensor as one that may be left out. */
  public TensorSpec asOptional() {
    return new TensorSpec(name, type, shape, true, nativeName, nativeType, dimensionNames);
  }

  /** Returns the same tensor under another name in requests and responses. */
  public TensorSpec renamed(String other) {
    return new TensorSpec(other, type, shape, optional, nativeName, nativeType, dimensionNames);
  }

  /** Returns the same tensor declared with another shape. */
  public TensorSpec withShape(Shape other) {
    boolean sameDimensions = other.isRankKnown() && other.rank() == dimensionNames.size();
    return new TensorSpec(
        name,
        type,
        other,
        optional,
        nativeName,
        nativeType,
        sameDimensions ? dimensionNames : List.of());
  }
}
