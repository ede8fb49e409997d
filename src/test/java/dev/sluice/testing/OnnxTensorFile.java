package dev.sluice.testing;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A recorded tensor: one serialized ONNX TensorProto. */
public final class OnnxTensorFile {
  private static final int DIMS = 1;
  private static final int DATA_TYPE = 2;
  private static final int FLOAT_DATA = 4;
  private static final int INT32_DATA = 5;
  private static final int STRING_DATA = 6;
  private static final int INT64_DATA = 7;
  private static final int RAW_DATA = 9;
  private static final int DOUBLE_DATA = 10;
  private static final int UINT64_DATA = 11;

  private final List<Long> dims = new ArrayList<>();
  private final List<byte[]> strings = new ArrayList<>();

  /** Numbers of any typed field, as the bits of a 64-bit word. */
  private final List<Long> words = new ArrayList<>();

  private byte[] raw = new byte[0];
  private int type;

  private OnnxTensorFile() {}

  public static Tensor read(Path file) throws IOException {
    var parsed = new OnnxTensorFile();
    parsed.parse(CodedInputStream.newInstance(Files.readAllBytes(file)));
    return parsed.tensor();
  }

  private void parse(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case DIMS -> readEach(in, tag, () -> dims.add(in.readInt64()));
        case DATA_TYPE -> type = in.readInt32();
        case FLOAT_DATA -> readEach(in, tag, () -> words.add((long) in.readRawLittleEndian32()));
        case INT32_DATA, INT64_DATA, UINT64_DATA ->
            readEach(in, tag, () -> words.add(in.readInt64()));
        case DOUBLE_DATA -> readEach(in, tag, () -> words.add(in.readRawLittleEndian64()));
        case STRING_DATA -> strings.add(in.readByteArray());
        case RAW_DATA -> raw = in.readBytes().toByteArray();
        default -> in.skipField(tag);
      }
    }
  }

  private interface Read {
    void one() throws IOException;
  }

  /** A repeated number, packed or not. */
  private static void readEach(CodedInputStream in, int tag, Read read) throws IOException {
    if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
      read.one();
      return;
    }
    int limit = in.pushLimit(in.readRawVarint32());
    while (!in.isAtEnd()) {
      read.one();
    }
    in.popLimit(limit);
  }

  private Tensor tensor() {
    DataType dataType = dataType();
    Shape shape = Shape.of(dims.stream().mapToLong(Long::longValue).toArray());
    try (var builder = new TensorBuilder(dataType, raw.length)) {
      if (dataType == DataType.BYTES) {
        strings.forEach(bytes -> builder.putBytes(bytes, 0, bytes.length));
      } else if (raw.length > 0) {
        builder.putRaw(MemorySegment.ofArray(raw), 0, raw.length, shape.elementCount());
      } else {
        words.forEach(word -> put(builder, word));
      }
      return builder.build(shape);
    }
  }

  private static void put(TensorBuilder builder, long word) {
    switch (builder.type().byteSize()) {
      case 1 -> builder.putByte((byte) word);
      case 2 -> builder.putShort((short) word);
      case 4 -> builder.putInt((int) word);
      default -> builder.putLong(word);
    }
  }

  private DataType dataType() {
    return switch (type) {
      case 1 -> DataType.FP32;
      case 2 -> DataType.UINT8;
      case 3 -> DataType.INT8;
      case 4 -> DataType.UINT16;
      case 5 -> DataType.INT16;
      case 6 -> DataType.INT32;
      case 7 -> DataType.INT64;
      case 8 -> DataType.BYTES;
      case 9 -> DataType.BOOL;
      case 10 -> DataType.FP16;
      case 11 -> DataType.FP64;
      case 12 -> DataType.UINT32;
      case 13 -> DataType.UINT64;
      default -> throw new IllegalArgumentException("element type " + type);
    };
  }
}
