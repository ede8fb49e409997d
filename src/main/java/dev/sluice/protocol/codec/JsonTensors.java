package dev.sluice.protocol.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes a tensor's values as JSON, from its first element to its last: flat, nested as its shape
 * says, or a row at a time. Borrows the tensor.
 */
public final class JsonTensors {
  /** The form of one BYTES element. */
  @FunctionalInterface
  public interface BytesForm {
    /** Writes the element that the walk stands on. */
    void write(BytesElements element, JsonWriter out);

    /** A JSON string of the element's bytes, which are taken for UTF-8. */
    BytesForm TEXT =
        (element, out) -> out.string(element.data(), element.offset(), element.length());

    /** TensorFlow Serving's {@code {"b64":"..."}}. */
    BytesForm BASE64_OBJECT =
        (element, out) -> out.raw("{\"b64\":").base64(element.toArray()).raw('}');
  }

  /** Bytes of a list's brackets, and of the comma behind it. */
  private static final long LIST = 3;

  private final Tensor tensor;
  private final JsonWriter out;
  private final BytesForm bytesForm;

  private final DataType type;
  private final MemorySegment data;
  private final @Nullable BytesElements elements;
  private long next;

  /**
   * Begins to write a tensor.
   *
   * @param bytesForm how BYTES elements are written
   */
  public JsonTensors(Tensor tensor, JsonWriter out, BytesForm bytesForm) {
    this.tensor = tensor;
    this.out = out;
    this.bytesForm = bytesForm;
    this.type = tensor.type();
    this.data = tensor.data();
    this.elements = type == DataType.BYTES ? new BytesElements(tensor) : null;
  }

  /**
   * Returns the number of bytes that the JSON of a tensor is likely to take, for sizing a writer.
   */
  public static long likelySize(Tensor tensor) {
    long elements =
        tensor.type() == DataType.BYTES
            ? tensor.byteSize() * 2
            : tensor.elementCount() * (tensor.type().byteSize() * 2L + 6);
    return elements + LIST * Math.min(tensor.shape().listCount(), Integer.MAX_VALUE) + 16;
  }

  /** Writes all elements as one array, whatever the shape. */
  public void flat() {
    out.raw('[');
    run(tensor.elementCount());
    out.raw(']');
  }

  /** Writes the next element alone. */
  public void single() {
    element();
  }

  /** Writes all elements in arrays nested as the shape says; a bare value for a scalar. */
  public void nested() {
    nest(0);
  }

  /** Writes the next row: what one index of dimension 0 holds. */
  public void row() {
    nest(1);
  }

  private void nest(int depth) {
    int rank = tensor.shape().rank();
    if (depth >= rank) {
      element();
      return;
    }
    long length = tensor.shape().dim(depth);
    out.raw('[');
    if (depth == rank - 1) {
      run(length);
    } else {
      for (long i = 0; i < length; i++) {
        comma(i);
        nest(depth + 1);
      }
    }
    out.raw(']');
  }

  private void run(long count) {
    for (long i = 0; i < count; i++) {
      comma(i);
      element();
    }
  }

  private void comma(long index) {
    if (index > 0) {
      out.raw(',');
    }
  }

  private void element() {
    long i = next++;
    switch (type) {
      case BOOL -> out.bool(data.get(JAVA_BYTE, i) != 0);
      case UINT8 -> out.number(data.get(JAVA_BYTE, i) & 0xFFL);
      case UINT16 -> out.number(data.getAtIndex(JAVA_SHORT, i) & 0xFFFFL);
      case UINT32 -> out.number(data.getAtIndex(JAVA_INT, i) & 0xFFFF_FFFFL);
      case UINT64 -> out.unsigned(data.getAtIndex(JAVA_LONG, i));
      case INT8 -> out.number((long) data.get(JAVA_BYTE, i));
      case INT16 -> out.number((long) data.getAtIndex(JAVA_SHORT, i));
      case INT32 -> out.number((long) data.getAtIndex(JAVA_INT, i));
      case INT64 -> out.number(data.getAtIndex(JAVA_LONG, i));
      case FP16 -> out.number(HalfFloats.fromFp16(data.getAtIndex(JAVA_SHORT, i)));
      case BF16 -> out.number(HalfFloats.fromBf16(data.getAtIndex(JAVA_SHORT, i)));
      case FP32 -> out.number(data.getAtIndex(JAVA_FLOAT, i));
      case FP64 -> out.number(data.getAtIndex(JAVA_DOUBLE, i));
      case BYTES -> bytesElement(Objects.requireNonNull(elements));
      default -> throw new IllegalStateException(type + " values have no JSON form");
    }
  }

  private void bytesElement(BytesElements walk) {
    walk.next();
    bytesForm.write(walk, out);
  }
}
