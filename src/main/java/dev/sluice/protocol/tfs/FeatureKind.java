package dev.sluice.protocol.tfs;

import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.tfs.grpc.proto.Feature;
import dev.sluice.tensor.DataType;
import org.jspecify.annotations.Nullable;

/** The element type of a feature's list. */
enum FeatureKind {
  BYTES(Feature.BYTES_LIST_FIELD_NUMBER, "string", "bytes"),
  FLOAT(Feature.FLOAT_LIST_FIELD_NUMBER, "float", "float"),
  INT64(Feature.INT64_LIST_FIELD_NUMBER, "int64", "int64");

  private final int field;
  private final String type;
  private final String list;

  FeatureKind(int field, String type, String list) {
    this.field = field;
    this.type = type;
    this.list = list;
  }

  /** Returns the kind behind a tag of a Feature; null if there is none. */
  static @Nullable FeatureKind of(int tag) {
    for (FeatureKind kind : values()) {
      if (tag == ProtobufTag.delimited(kind.field)) {
        return kind;
      }
    }
    return null;
  }

  /** Returns the kind that becomes an input of a type; null if none does. */
  static @Nullable FeatureKind of(DataType type) {
    return switch (type) {
      case BYTES -> BYTES;
      case FP16, BF16, FP32, FP64 -> FLOAT;
      case BOOL, UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64 -> INT64;
      default -> null;
    };
  }

  /** Returns the name of the values' type, for error texts. */
  String type() {
    return type;
  }

  /** Returns the name of the list type, for error texts. */
  String list() {
    return list;
  }
}
