package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.RawInputs;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import java.io.IOException;
import java.util.List;

/**
 * Reads an {@code InferTensorContents} into a tensor, packed fields and single ones. Only the field
 * that belongs to the input's type may hold anything.
 */
final class TypedContents {
  private static final int BOOL = 1;
  private static final int INT = 2;
  private static final int INT64 = 3;
  private static final int UINT = 4;
  private static final int UINT64 = 5;
  private static final int FP32 = 6;
  private static final int FP64 = 7;
  private static final int BYTES = 8;
  private static final int NO_FIELD = 0;

  private static final int LENGTH_DELIMITED = 2;

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
    } catch (IOException e) {
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

  private void message(Body message) throws IOException {
    CodedInputStream in = InferMessageTags.open(message);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      int number = tag >>> 3;
      if (number < BOOL || number > BYTES) {
        InferMessageTags.skip(in, tag);
      } else if ((tag & 7) == LENGTH_DELIMITED && number != BYTES) {
        packed(number, in, message);
      } else if (tag == single(number)) {
        requireField(number);
        element(in, message);
      } else {
        InferMessageTags.skip(in, tag);
      }
    }
  }

  /** Returns the tag of a field that holds one element. */
  private static int single(int number) {
    int form =
        switch (number) {
          case FP32 -> 5;
          case FP64 -> 1;
          case BYTES -> LENGTH_DELIMITED;
          default -> 0;
        };
    return number << 3 | form;
  }

  private void packed(int number, CodedInputStream in, Body message) throws IOException {
    Body elements = InferMessageTags.slice(in, message);
    if (elements.length() == 0) {
      return;
    }
    requireField(number);
    if (number == FP32 || number == FP64) {
      copy(elements);
      return;
    }
    CodedInputStream each = InferMessageTags.open(elements);
    while (!each.isAtEnd()) {
      element(each, elements);
    }
  }

  /** Packed floating point numbers lie in the message as they do in a tensor. */
  private void copy(Body elements) throws IOException {
    int size = input.type().byteSize();
    if (elements.length() % size != 0) {
      throw new InvalidProtocolBufferException("packed numbers end within one of them");
    }
    long count = elements.length() / size;
    found += count;
    if (found <= wanted) {
      out.putRaw(elements.segment(), 0, elements.length(), count);
    }
  }

  private void element(CodedInputStream in, Body message) throws IOException {
    switch (field) {
      case BOOL -> whole(in.readBool() ? 1 : 0);
      case INT -> whole(in.readInt32());
      case INT64 -> whole(in.readInt64());
      case UINT -> whole(Integer.toUnsignedLong(in.readUInt32()));
      case UINT64 -> whole(in.readUInt64());
      case FP32 -> whole(in.readFixed32());
      case FP64 -> whole(in.readFixed64());
      default -> bytes(InferMessageTags.slice(in, message));
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
