package dev.sluice.protocol.v1.http.element;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonElements;
import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import org.jspecify.annotations.Nullable;

/**
 * One input while it is read: as a whole, or row by row. Owns its memory until it is built.
 *
 * <p>Memory grows from a guess by the size of the body; a builder that is closed before it was
 * built frees it.
 */
public final class InputBuilder implements AutoCloseable {
  /**
   * Bytes of JSON that one number takes at least, as a rule: a digit, a point, another, a comma.
   */
  private static final int LIKELY_NUMBER_SIZE = 4;

  private final TensorSpec spec;
  private final JsonElements elements;
  private final TensorBuilder out;
  private final V1ValueReader values;
  private @Nullable Shape rowShape;
  private long rowSize;
  private int rows;
  private boolean whole;

  /**
   * @param in the cursor to read from
   * @param likelySize bytes of JSON that are expected for this input
   * @param elements reads the values; NONE if they have no form in JSON
   */
  public InputBuilder(
      Body body, TensorSpec spec, JsonCursor in, long likelySize, JsonElements elements) {
    this.spec = spec;
    this.elements = elements;
    this.out = new TensorBuilder(spec.type(), capacity(spec.type(), likelySize));
    this.values = new V1ValueReader(in, new ElementReader(body, spec, elements), out);
  }

  private static long capacity(DataType type, long jsonSize) {
    return type.isFixedSize() ? jsonSize / LIKELY_NUMBER_SIZE * type.byteSize() : jsonSize;
  }

  /** Returns the name of the input. */
  public String name() {
    return spec.name();
  }

  /**
   * Returns whether an input may be left out; a SavedModel's defaults are for gRPC only, as under
   * TensorFlow Serving.
   */
  public boolean isOptional() {
    return spec.optional() && !TensorflowTypeNames.isTensorflow(spec);
  }

  /** Returns whether anything was read. */
  public boolean isGiven() {
    return whole || rows > 0;
  }

  /** Returns how many rows were read. */
  public int rows() {
    return rows;
  }

  /** Reads the next value as the whole tensor. */
  public void readWhole() {
    values.read();
    whole = true;
  }

  /**
   * Reads the next value as the next row.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is not what the first row is
   */
  public void readRow() {
    long before = out.elements();
    values.read();
    long size = out.elements() - before;
    if (rowShape == null) {
      rowShape = values.shape();
      rowSize = size;
    } else if (size != rowSize) {
      throw InferenceException.invalid("Expecting tensor size: " + rowSize + " but got: " + size);
    } else if (!values.hasShape(rowShape)) {
      throw InferenceException.invalid(
          "Expecting shape " + rowShape + " but got: " + values.shape());
    }
    rows++;
  }

  /** Returns the shape of what was read. */
  public Shape shape() {
    return rowShape == null ? values.shape() : rowShape.prepend(rows);
  }

  /**
   * Checks that the tensor is one that the model takes.
   *
   * @param model the model's name, if it holds clients to its shapes; else null
   */
  public void check(@Nullable String model) {
    if (elements.equals(JsonElements.NONE)) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          "Conversion of JSON Value: [] to type: " + TensorflowTypeNames.of(spec));
    }
    if (model != null && !spec.shape().accepts(shape())) {
      throw InferenceException.invalid(
          "input \""
              + spec.name()
              + "\" has shape "
              + shape()
              + ", model \""
              + model
              + "\" takes "
              + spec.shape());
    }
  }

  /** Returns the tensor, which owns the memory from now on. */
  public NamedTensor build() {
    return new NamedTensor(spec.name(), out.build(shape()));
  }

  @Override
  public void close() {
    out.close();
  }
}
