package dev.sluice.protocol.tfs.grpc.wire;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VARINT;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.RawTensors;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.transport.Body;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Walks a TensorProto once, without taking its values, to know its type, its shape and the memory
 * it needs before any is allocated. The fields may come in any order.
 */
public final class TensorScanner {
  /** TensorFlow's own limit. */
  private static final int MOST_DIMENSIONS = 254;

  private static final int DTYPE = TensorProto.DTYPE_FIELD_NUMBER << 3 | VARINT;
  private static final int TENSOR_SHAPE = TensorProto.TENSOR_SHAPE_FIELD_NUMBER << 3 | DELIMITED;
  public static final int TENSOR_CONTENT = TensorProto.TENSOR_CONTENT_FIELD_NUMBER << 3 | DELIMITED;
  private static final int DIM = TensorShapeProto.DIM_FIELD_NUMBER << 3 | DELIMITED;
  private static final int UNKNOWN_RANK = TensorShapeProto.UNKNOWN_RANK_FIELD_NUMBER << 3 | VARINT;
  private static final int SIZE = TensorShapeProto.Dim.SIZE_FIELD_NUMBER << 3 | VARINT;

  private final String name;
  private final Body proto;
  private final StringSizes strings = new StringSizes();
  private int dtype;
  private long[] dims = new long[4];
  private int rank;
  private boolean unknownRank;
  private Body content = Body.EMPTY;
  private int fieldsWithValues;

  private TensorScanner(String name, Body proto) {
    this.name = name;
    this.proto = proto;
  }

  /**
   * Looks a tensor over.
   *
   * @param name the input's name, for texts
   * @throws InferenceException with INVALID_ARGUMENT, or UNIMPLEMENTED for a type that does not
   *     travel here
   */
  public static EncodedTensor scan(String name, Body proto) {
    var scanner = new TensorScanner(name, proto);
    try {
      scanner.readFields();
      return scanner.check();
    } catch (ProtobufException e) {
      throw scanner.refuse(String.valueOf(e.getMessage()));
    }
  }

  private void readFields() {
    var reader = new ProtobufReader(proto);
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      switch (tag) {
        case DTYPE -> dtype = reader.varint32();
        case TENSOR_SHAPE -> readShape(reader);
        case TENSOR_CONTENT -> content = reader.bytes();
        default -> readValues(reader, tag);
      }
    }
  }

  private void readValues(ProtobufReader reader, int tag) {
    ValuesField field = ValuesField.of(tag);
    if (field == null) {
      reader.skip(tag);
    } else if (field == ValuesField.STRING) {
      strings.add(reader.bytes().length());
      fieldsWithValues |= field.bit();
    } else if (ProtobufTag.form(tag) == DELIMITED) {
      fieldsWithValues |= reader.bytes().length() > 0 ? field.bit() : 0;
    } else {
      reader.skip(tag);
      fieldsWithValues |= field.bit();
    }
  }

  private void readShape(ProtobufReader reader) {
    long outer = reader.enter();
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      switch (tag) {
        case DIM -> addDim(readSize(reader));
        case UNKNOWN_RANK -> unknownRank = reader.varint() != 0;
        default -> reader.skip(tag);
      }
    }
    reader.leave(outer);
  }

  private static long readSize(ProtobufReader reader) {
    long outer = reader.enter();
    long size = 0;
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      if (tag == SIZE) {
        size = reader.varint();
      } else {
        reader.skip(tag);
      }
    }
    reader.leave(outer);
    return size;
  }

  private void addDim(long size) {
    if (size < 0) {
      throw refuse("dimension " + rank + " is " + size + ", wanted 0 or more");
    }
    if (rank == MOST_DIMENSIONS) {
      throw refuse("its shape has more than " + MOST_DIMENSIONS + " dimensions");
    }
    if (rank == dims.length) {
      dims = Arrays.copyOf(dims, rank * 2);
    }
    dims[rank++] = size;
  }

  private EncodedTensor check() {
    WireType type = type();
    Shape shape = unknownRank ? Shape.SCALAR : Shape.of(Arrays.copyOf(dims, rank));
    if (content.length() == 0) {
      refuseOtherValues(type);
    }
    try {
      return new EncodedTensor(name, type, shape, proto, content, byteSize(type, shape));
    } catch (ArithmeticException e) {
      throw refuse("shape " + shape + " has too many elements for any memory");
    }
  }

  private WireType type() {
    WireType type = WireType.of(dtype);
    if (type != null) {
      return type;
    }
    String known = knownTypeName(dtype);
    if (known == null) {
      throw refuse("dtype is " + dtype + ", wanted the type of a value");
    }
    throw new InferenceException(
        ErrorCode.UNIMPLEMENTED,
        "input \"" + name + "\" is " + known + ", a type that is not supported");
  }

  /** Returns the name of a type that TensorFlow has values of; null for the rest of the numbers. */
  private static @Nullable String knownTypeName(int number) {
    var known = dev.sluice.protocol.tfs.grpc.proto.DataType.forNumber(number);
    return known == null || number == 0 || number > 100 ? null : known.name();
  }

  /** Values in a list that the type does not use would be lost without a word. */
  private void refuseOtherValues(WireType type) {
    int others = fieldsWithValues & ~type.field().bit();
    if (others != 0 && others == fieldsWithValues) {
      ValuesField found = ValuesField.lowest(others);
      throw InferenceException.invalid(
          "input \"%s\" has its values in %s, wanted %s for %s"
              .formatted(name, found.text(), type.field().text(), type.text()));
    }
  }

  private long byteSize(WireType type, Shape shape) {
    long elements = shape.elementCount();
    if (type.type() == DataType.BYTES) {
      return content.length() > 0 ? stringContentSize(elements, shape) : strings.byteSize(elements);
    }
    long size = Math.multiplyExact(elements, type.type().byteSize());
    if (content.length() > 0) {
      checkContent(type, shape, size);
    }
    return size;
  }

  private void checkContent(WireType type, Shape shape, long size) {
    if (content.length() != size) {
      throw refuse(
          "tensor_content has %d bytes, wanted %d for %s of shape %s"
              .formatted(content.length(), size, type.text(), shape));
    }
    if (type == WireType.BOOL && !RawTensors.areBooleans(content)) {
      throw refuse("tensor_content has a byte that is neither 0 nor 1, wanted bool");
    }
  }

  private long stringContentSize(long elements, Shape shape) {
    long bytes = StringSizes.ofContent(content, elements);
    if (bytes < 0) {
      throw refuse("tensor_content does not hold the " + elements + " strings of shape " + shape);
    }
    return bytes;
  }

  private InferenceException refuse(String reason) {
    return InferenceException.invalid("tensor parsing error: " + name + ": " + reason);
  }
}
