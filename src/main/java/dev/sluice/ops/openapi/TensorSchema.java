package dev.sluice.ops.openapi;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.util.Collections;

/** Schemas and examples of tensors in JSON. */
final class TensorSchema {
  /** Elements of an example; larger tensors have none. */
  private static final long MOST_ELEMENTS = 4_096;

  /** Nested lists beyond this are described as lists of anything. */
  private static final int MOST_RANK = 16;

  private static final double FP16_MAX = 65_504;
  private static final double BF16_MAX = 3.3895313892515355e38;

  private TensorSchema() {}

  /** Returns the schema of one element. */
  static JsonObject element(DataType type) {
    return switch (type) {
      case BOOL -> new JsonObject().put("type", "boolean");
      case INT8 -> signed(8);
      case INT16 -> signed(16);
      case INT32 -> signed(32).put("format", "int32");
      case INT64 -> signed(64).put("format", "int64");
      case UINT8 -> unsigned(8);
      case UINT16 -> unsigned(16);
      case UINT32 -> unsigned(32);
      case UINT64 -> unsigned(64);
      case FP16 -> number(FP16_MAX);
      case BF16 -> number(BF16_MAX);
      case FP32 -> number(Float.MAX_VALUE).put("format", "float");
      case FP64 -> number(Double.MAX_VALUE).put("format", "double");
      case BYTES -> new JsonObject().put("type", "string");
      default -> new JsonObject();
    };
  }

  private static JsonObject signed(int bits) {
    BigInteger end = BigInteger.ONE.shiftLeft(bits - 1);
    return integer(end.negate(), end.subtract(BigInteger.ONE));
  }

  private static JsonObject unsigned(int bits) {
    return integer(BigInteger.ZERO, BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE));
  }

  private static JsonObject integer(BigInteger least, BigInteger most) {
    return new JsonObject().put("type", "integer").put("minimum", least).put("maximum", most);
  }

  private static JsonObject number(double most) {
    return new JsonObject().put("type", "number").put("minimum", -most).put("maximum", most);
  }

  /** Returns the schema of a value that a model gives: also what is no finite number. */
  static JsonObject given(DataType type) {
    return type.isFloat()
        ? new JsonObject().put("type", new JsonArray().add("number").add("null"))
        : element(type);
  }

  /** Returns the schema of a list of any length. */
  static JsonObject list(JsonObject items) {
    return new JsonObject().put("type", "array").put("items", items);
  }

  /** Returns the schema of a list of one length, or of any if it is open. */
  private static JsonObject list(JsonObject items, long length) {
    JsonObject list = list(items);
    return length == Shape.ANY ? list : list.put("minItems", length).put("maxItems", length);
  }

  /** Returns the schema of nested lists of a shape. */
  static JsonObject nested(JsonObject element, Shape shape) {
    if (!shape.isRankKnown() || shape.rank() > MOST_RANK) {
      return new JsonObject();
    }
    JsonObject schema = element;
    for (int i = shape.rank() - 1; i >= 0; i--) {
      schema = list(schema, shape.dim(i));
      if (i < shape.rank() - 1 && shape.dim(i) == Shape.ANY) {
        // The sizes inside an empty list are not known.
        schema.put("minItems", 1);
      }
    }
    return schema;
  }

  /** Returns the schema of an actual tensor's shape. */
  static JsonObject shape(Shape declared) {
    var dim = new JsonObject().put("type", "integer").put("minimum", 0);
    if (!declared.isRankKnown()) {
      return list(dim);
    }
    var dims = new JsonArray();
    for (long size : declared.dims()) {
      dims.add(size == Shape.ANY ? dim.copy() : new JsonObject().put("const", size));
    }
    return tuple(dims, dims.size());
  }

  /** Returns the schema of a list whose items are these, in this order. */
  static JsonObject tuple(JsonArray items, int least) {
    var tuple = new JsonObject().put("type", "array");
    if (!items.isEmpty()) {
      tuple.put("prefixItems", items);
    }
    return tuple.put("minItems", least).put("maxItems", items.size());
  }

  /** Returns the declared shape with 1 for what is open. */
  static Shape exampleShape(TensorSpec tensor) {
    if (!tensor.shape().isRankKnown()) {
      return Shape.of(1);
    }
    long[] dims = tensor.shape().dims();
    for (int i = 0; i < dims.length; i++) {
      dims[i] = dims[i] == Shape.ANY ? 1 : dims[i];
    }
    return Shape.of(dims);
  }

  /** Returns whether a tensor is small enough for an example. */
  static boolean hasExample(TensorSpec tensor) {
    long elements = 1;
    for (long dim : exampleShape(tensor).dims()) {
      if (dim > MOST_ELEMENTS || (elements *= dim) > MOST_ELEMENTS) {
        return false;
      }
    }
    return tensor.type().isCommon();
  }

  /** Returns a value that every model of the type can take. */
  static Object exampleElement(DataType type) {
    return switch (type) {
      case BOOL -> true;
      case BYTES -> "text";
      case FP16, BF16, FP32, FP64 -> 0.5;
      default -> 1;
    };
  }

  /** Returns the elements of an example, without lists in the list. */
  static JsonArray exampleElements(TensorSpec tensor) {
    int count = (int) exampleShape(tensor).elementCount();
    return new JsonArray(Collections.nCopies(count, exampleElement(tensor.type())));
  }

  /** Returns an example in nested lists, from a dimension on. */
  static Object exampleNested(TensorSpec tensor, int from) {
    Shape shape = exampleShape(tensor);
    Object value = exampleElement(tensor.type());
    for (int i = shape.rank() - 1; i >= from; i--) {
      value = new JsonArray(Collections.nCopies((int) shape.dim(i), value));
    }
    return value;
  }
}
