package dev.sluice.protocol.grps.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.grps.GrpsType;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.transport.Body;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The head of a GenericTensor, found by skipping its values.
 *
 * <p>Zero-copy until the type is known: values stay in the message's bytes, as a range.
 */
final class WireTensor {
  /** More dimensions than any runtime takes. */
  private static final int MAX_RANK = 100;

  private final Body bytes;
  private String name = "";
  private int typeNumber;
  private long[] dims = new long[4];
  private int rank;

  private WireTensor(Body bytes) {
    this.bytes = bytes;
  }

  static WireTensor scan(Body bytes) throws IOException {
    var tensor = new WireTensor(bytes);
    CodedInputStream in = GrpsWire.open(bytes);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      tensor.readField(in, tag);
    }
    return tensor;
  }

  private void readField(CodedInputStream in, int tag) throws IOException {
    boolean packed = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
    boolean varint = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_VARINT;
    int field = WireFormat.getTagFieldNumber(tag);
    if (field == GenericTensor.NAME_FIELD_NUMBER && packed) {
      name = in.readStringRequireUtf8();
    } else if (field == GenericTensor.DTYPE_FIELD_NUMBER && varint) {
      typeNumber = in.readEnum();
    } else if (field == GenericTensor.SHAPE_FIELD_NUMBER && packed) {
      readDims(in);
    } else if (field == GenericTensor.SHAPE_FIELD_NUMBER && varint) {
      addDim(in);
    } else {
      in.skipField(tag);
    }
  }

  private void readDims(CodedInputStream in) throws IOException {
    int outer = in.pushLimit(in.readRawVarint32());
    while (in.getBytesUntilLimit() > 0) {
      addDim(in);
    }
    in.popLimit(outer);
  }

  private void addDim(CodedInputStream in) throws IOException {
    long dim = Integer.toUnsignedLong(in.readUInt32());
    if (rank == MAX_RANK) {
      throw InferenceException.invalid("a shape has more than " + MAX_RANK + " dimensions");
    }
    if (rank == dims.length) {
      dims = Arrays.copyOf(dims, rank * 2);
    }
    dims[rank++] = dim;
  }

  /** Returns the whole tensor, values included. */
  Body bytes() {
    return bytes;
  }

  /** Returns the tensor's name; empty if it has none. */
  String name() {
    return name;
  }

  int typeNumber() {
    return typeNumber;
  }

  /** Returns the tensor's type, or null if it says none, or one that there is not. */
  @Nullable GrpsType type() {
    boolean known = typeNumber > 0 && typeNumber <= GrpsType.all().size();
    return known ? GrpsType.all().get(typeNumber - 1) : null;
  }

  long[] dims() {
    return Arrays.copyOf(dims, rank);
  }
}
