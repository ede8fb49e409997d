package dev.sluice.protocol.grps.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VARINT;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.grps.GrpsType;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.transport.Body;
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

  /** The field of the last packed list; 0 if there is none. */
  private int listField;

  private Body list = Body.EMPTY;
  private int values;

  /** The field of a list that has values; 0 if none has. */
  private int filledField;

  /** The field of another one; 0 if there is none. */
  private int furtherField;

  private WireTensor(Body bytes) {
    this.bytes = bytes;
  }

  static WireTensor scan(Body bytes) {
    var tensor = new WireTensor(bytes);
    var in = new ProtobufReader(bytes);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      tensor.readField(in, tag);
    }
    return tensor;
  }

  private void readField(ProtobufReader in, int tag) {
    boolean packed = ProtobufTag.form(tag) == DELIMITED;
    boolean varint = ProtobufTag.form(tag) == VARINT;
    int field = ProtobufTag.field(tag);
    if (field == GenericTensor.NAME_FIELD_NUMBER && packed) {
      name = in.text();
    } else if (field == GenericTensor.DTYPE_FIELD_NUMBER && varint) {
      typeNumber = in.varint32();
    } else if (field == GenericTensor.SHAPE_FIELD_NUMBER && packed) {
      readDims(in);
    } else if (field == GenericTensor.SHAPE_FIELD_NUMBER && varint) {
      addDim(in);
    } else if (field > GenericTensor.SHAPE_FIELD_NUMBER && packed) {
      values++;
      listField = field;
      list = in.bytes();
      if (list.length() > 0 || field == GrpsType.STRING.listField()) {
        noteValues(field);
      }
    } else {
      if (field > GenericTensor.SHAPE_FIELD_NUMBER) {
        values++;
        noteValues(field);
      }
      in.skip(tag);
    }
  }

  private void noteValues(int field) {
    if (field > GrpsType.STRING.listField()) {
      return;
    }
    if (filledField == 0) {
      filledField = field;
    } else if (field != filledField) {
      furtherField = field;
    }
  }

  /**
   * Requires that one list at most has values: those of others would be lost.
   *
   * @param tensor what the tensor is called in texts
   * @throws InferenceException with INVALID_ARGUMENT if several have
   */
  void requireOneList(String tensor) {
    if (furtherField != 0) {
      throw InferenceException.invalid(
          "%s has values in %s and in %s; wanted one list"
              .formatted(
                  tensor,
                  listName(Math.min(filledField, furtherField)),
                  listName(Math.max(filledField, furtherField))));
    }
  }

  private static String listName(int field) {
    return GrpsType.all().stream()
        .filter(type -> type.listField() == field)
        .findFirst()
        .map(GrpsType::list)
        .orElseThrow();
  }

  private void readDims(ProtobufReader in) {
    long outer = in.enter();
    while (!in.atEnd()) {
      addDim(in);
    }
    in.leave(outer);
  }

  private void addDim(ProtobufReader in) {
    long dim = Integer.toUnsignedLong(in.varint32());
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

  /** Returns the bytes of a packed list if they are all that the tensor has of values. */
  @Nullable Body onlyList(int field) {
    return values == 1 && listField == field ? list : null;
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
