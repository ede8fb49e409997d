package dev.sluice.protocol.oip.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.FIXED32;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.FIXED64;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VARINT;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.RawInputs;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import java.util.List;

/**
 * Reads an {@code InferTensorContents} into a tensor, packed fields and single ones. Only the field
 * that belongs to the input's type may hold anything.
 */
final class TypedContents {
  private static final int BOOL = InferTensorContents.BOOL_CONTENTS_FIELD_NUMBER;
  private static final int INT = InferTensorContents.INT_CONTENTS_FIELD_NUMBER;
  private static final int INT64 = InferTensorContents.INT64_CONTENTS_FIELD_NUMBER;
  private static final int UINT = InferTensorContents.UINT_CONTENTS_FIELD_NUMBER;
  private static final int UINT64 = InferTensorContents.UINT64_CONTENTS_FIELD_NUMBER;
  private static final int FP32 = InferTensorContents.FP32_CONTENTS_FIELD_NUMBER;
  private static final int FP64 = InferTensorContents.FP64_CONTENTS_FIELD_NUMBER;
  private static final int BYTES = InferTensorContents.BYTES_CONTENTS_FIELD_NUMBER;
  private static final int NO_FIELD = 0;

  private final InputHead input;
  private final String model;
  private final TensorBuilder out;
  private final long wanted;
  private final int field;

  /** Elements found, which may be more than are kept. */
  private long found;

  private TypedContents(InputHead input, String model, TensorBuilder out) {
    this.input = input;
    this.model = model;
    this.out = out;
    this.wanted = input.shape().elementCount();
    this.field = fieldOf(input.type());
  }

  /**
   * Reads an input's contents.
   *
   * @param contents the messages that hold them
   * @param model the model's name, for messages
   * @return a tensor that the caller owns
   * @throws InferenceException with INVALID_ARGUMENT if field, number or range of the elements is
   *     not what the input's type and shape say
   */
  static Tensor read(InputHead input, List<Body> contents, String model) {
    long bytes = contents.stream().mapToLong(Body::length).sum();
    // Every element takes a byte of the message at least, so that no shape can ask for more.
    long elements = Math.min(input.shape().elementCount(), bytes);
    long capacity =
        input.type() == DataType.BYTES ? bytes + 4 * elements : elements * input.type().byteSize();
    try (var builder = new TensorBuilder(input.type(), capacity)) {
      var reader = new TypedContents(input, model, builder);
      for (Body message : contents) {
        reader.message(message);
      }
      reader.requireCount();
      return builder.build(input.shape());
    } catch (ProtobufException e) {
      throw InferMessageTags.malformed(e);
    }
  }

  private static int fieldOf(DataType type) {
    return switch (type) {
      case BOOL -> BOOL;
      case INT8, INT16, INT32 -> INT;
      case INT64 -> INT64;
      case UINT8, UINT16, UINT32 -> UINT;
      case UINT64 -> UINT64;
      case FP32 -> FP32;
      case FP64 -> FP64;
      case BYTES -> BYTES;
      default -> NO_FIELD;
    };
  }

  private void message(Body message) {
    var in = new ProtobufReader(message);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      int number = ProtobufTag.field(tag);
      if (number < BOOL || number > BYTES) {
        in.skip(tag);
      } else if (ProtobufTag.form(tag) == DELIMITED && number != BYTES) {
        packed(number, in);
      } else if (tag == single(number)) {
        requireField(number);
        element(in);
      } else {
        in.skip(tag);
      }
    }
  }

  /** Returns the tag of a field that holds one element. */
  private static int single(int number) {
    int form =
        switch (number) {
          case FP32 -> FIXED32;
          case FP64 -> FIXED64;
          case BYTES -> DELIMITED;
          default -> VARINT;
        };
    return number << 3 | form;
  }

  private void packed(int number, ProtobufReader in) {
    if (number == FP32 || number == FP64) {
      copy(number, in.bytes());
      return;
    }
    long outer = in.enter();
    if (!in.atEnd()) {
      requireField(number);
    }
    while (!in.atEnd()) {
      element(in);
    }
    in.leave(outer);
  }

  /** Packed floating point numbers lie in the message as they do in a tensor. */
  private void copy(int number, Body elements) {
    if (elements.length() == 0) {
      return;
    }
    requireField(number);
    int size = input.type().byteSize();
    if (elements.length() % size != 0) {
      throw new ProtobufException("packed numbers end within one of them");
    }
    long count = elements.length() / size;
    found += count;
    if (found <= wanted) {
      out.putRaw(elements.segment(), 0, elements.length(), count);
    }
  }

  private void element(ProtobufReader in) {
    switch (field) {
      case BOOL -> whole(in.varint() == 0 ? 0 : 1);
      case INT -> whole(in.varint32());
      case INT64, UINT64 -> whole(in.varint());
      case UINT -> whole(Integer.toUnsignedLong(in.varint32()));
      case FP32 -> whole(in.fixed32());
      case FP64 -> whole(in.fixed64());
      default -> bytes(in.bytes());
    }
    found++;
  }

  private void whole(long value) {
    if (found >= wanted) {
      return;
    }
    requireRange(value);
    switch (input.type().byteSize()) {
      case 1 -> out.putByte((byte) value);
      case 2 -> out.putShort((short) value);
      case 4 -> out.putInt((int) value);
      default -> out.putLong(value);
    }
  }

  /** Narrow integers travel in 32 bits. Cutting them off, as some servers do, would lose data. */
  private void requireRange(long value) {
    boolean fits =
        switch (input.type()) {
          case INT8 -> value == (byte) value;
          case INT16 -> value == (short) value;
          case UINT8 -> value <= 0xFF;
          case UINT16 -> value <= 0xFFFF;
          default -> true;
        };
    if (!fits) {
      throw InferenceException.invalid(
          "element "
              + found
              + " of input '"
              + input.name()
              + "' for model '"
              + model
              + "' is "
              + value
              + ", wanted "
              + input.type());
    }
  }

  private void bytes(Body element) {
    if (found < wanted) {
      out.putBytes(element.segment(), 0, element.length());
    }
  }

  private void requireField(int number) {
    if (number == field) {
      return;
    }
    String where =
        "unexpected explicit tensor data for input tensor '"
            + input.name()
            + "' for model '"
            + model
            + "'";
    throw InferenceException.invalid(
        found > 0
            ? where + ", binary data was already supplied."
            : where + " of type '" + input.type() + "', expected datatype '" + name(number) + "'");
  }

  private static String name(int number) {
    return switch (number) {
      case BOOL -> "BOOL";
      case INT -> "INT32";
      case INT64 -> "INT64";
      case UINT -> "UINT32";
      case UINT64 -> "UINT64";
      case FP32 -> "FP32";
      case FP64 -> "FP64";
      default -> "BYTES";
    };
  }

  private void requireCount() {
    if (input.type() == DataType.BYTES && found != wanted) {
      throw found < wanted
          ? RawInputs.tooFew(input, found, model)
          : RawInputs.tooMany(input, found, model);
    }
    if (input.type() != DataType.BYTES) {
      RawInputs.checkSize(input, found * input.type().byteSize(), model);
    }
  }
}
