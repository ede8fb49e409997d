package dev.sluice.protocol.grps.http;

import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.grps.ElementConversion;
import dev.sluice.protocol.grps.GrpsType;
import dev.sluice.protocol.grps.Utf8;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.util.List;

/**
 * Writes tensors as JSON: as {@code gtensors} and as {@code ndarray}. Borrows them.
 *
 * <p>Writes from native memory straight into the body's array, with neither strings nor a tree in
 * between.
 */
final class TensorJson {
  private final NamedTensor named;
  private final Tensor tensor;
  private final JsonWriter out;
  private final GrpsType type;

  TensorJson(NamedTensor named, JsonWriter out) {
    this.named = named;
    this.tensor = named.tensor();
    this.out = out;
    this.type = GrpsType.of(tensor.type());
  }

  /** Writes what is inside a GenericTensorData. */
  static void list(List<NamedTensor> tensors, JsonWriter out) {
    if (tensors.isEmpty()) {
      return;
    }
    out.raw("\"tensors\":[");
    String separator = "";
    for (NamedTensor tensor : tensors) {
      out.raw(separator);
      new TensorJson(tensor, out).object();
      separator = ",";
    }
    out.raw(']');
  }

  private void object() {
    out.raw('{');
    if (!named.name().isEmpty()) {
      out.raw("\"name\":").string(named.name()).raw(',');
    }
    out.raw("\"dtype\":\"").raw(type.wireName()).raw('"');
    shape(tensor.shape());
    if (tensor.elementCount() > 0) {
      out.raw(",\"").raw(type.list()).raw("\":[");
      values(tensor.elementCount());
      out.raw(']');
    }
    out.raw('}');
  }

  private void shape(Shape shape) {
    if (shape.rank() == 0) {
      return;
    }
    out.raw(",\"shape\":[");
    for (int i = 0; i < shape.rank(); i++) {
      comma(i);
      out.number(shape.dim(i));
    }
    out.raw(']');
  }

  private void values(long count) {
    switch (type) {
      case UINT8, INT8, INT16, INT32 -> {
        for (long i = 0; i < count; i++) {
          comma(i);
          out.number(ElementConversion.integer(tensor, i));
        }
      }
      case INT64 -> {
        for (long i = 0; i < count; i++) {
          comma(i);
          out.raw('"').number(ElementConversion.int64(named, i)).raw('"');
        }
      }
      case FLOAT16, FLOAT32 -> {
        for (long i = 0; i < count; i++) {
          comma(i);
          single(out, ElementConversion.single(tensor, i));
        }
      }
      case FLOAT64 -> {
        for (long i = 0; i < count; i++) {
          comma(i);
          wide(out, ElementConversion.wide(tensor, i));
        }
      }
      case STRING -> texts();
    }
  }

  private void texts() {
    var element = new BytesElements(tensor);
    for (long i = 0; element.next(); i++) {
      comma(i);
      Utf8.require(element, named.name());
      out.string(element.data(), element.offset(), element.length());
    }
  }

  /** NaN and the infinities are strings. */
  static void single(JsonWriter out, float value) {
    if (Float.isFinite(value)) {
      out.number(value);
    } else {
      out.raw('"').number(value).raw('"');
    }
  }

  static void wide(JsonWriter out, double value) {
    if (Double.isFinite(value)) {
      out.number(value);
    } else {
      out.raw('"').number(value).raw('"');
    }
  }

  private void comma(long index) {
    if (index > 0) {
      out.raw(',');
    }
  }

  /** Writes a tensor of 32-bit numbers in lists nested as its shape says. */
  static void nested(Tensor tensor, JsonWriter out) {
    nested(tensor, out, 0, 0);
  }

  private static long nested(Tensor tensor, JsonWriter out, int depth, long from) {
    if (depth == tensor.shape().rank()) {
      single(out, ElementConversion.single(tensor, from));
      return from + 1;
    }
    long next = from;
    out.raw('[');
    for (long i = 0; i < tensor.shape().dim(depth); i++) {
      if (i > 0) {
        out.raw(',');
      }
      next = nested(tensor, out, depth + 1, next);
    }
    out.raw(']');
    return next;
  }
}
