package dev.sluice.protocol.tfs;

import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.DataType;
import java.util.List;

/** The constants of TensorFlow's enums by their numbers. */
public final class TensorflowTypes {
  private static final int REFERENCE = 100;

  private static final List<String> TYPES =
      List.of(
          "DT_INVALID",
          "DT_FLOAT",
          "DT_DOUBLE",
          "DT_INT32",
          "DT_UINT8",
          "DT_INT16",
          "DT_INT8",
          "DT_STRING",
          "DT_COMPLEX64",
          "DT_INT64",
          "DT_BOOL",
          "DT_QINT8",
          "DT_QUINT8",
          "DT_QINT32",
          "DT_BFLOAT16",
          "DT_QINT16",
          "DT_QUINT16",
          "DT_UINT16",
          "DT_COMPLEX128",
          "DT_HALF",
          "DT_RESOURCE",
          "DT_VARIANT",
          "DT_UINT32",
          "DT_UINT64");

  private static final List<String> TYPE_SPECS =
      List.of(
          "UNKNOWN",
          "SPARSE_TENSOR_SPEC",
          "INDEXED_SLICES_SPEC",
          "RAGGED_TENSOR_SPEC",
          "TENSOR_ARRAY_SPEC",
          "DATA_DATASET_SPEC",
          "DATA_ITERATOR_SPEC",
          "OPTIONAL_SPEC",
          "PER_REPLICA_SPEC",
          "VARIABLE_SPEC",
          "ROW_PARTITION_SPEC",
          "UNKNOWN",
          "REGISTERED_TYPE_SPEC",
          "EXTENSION_TYPE_SPEC");

  private TensorflowTypes() {}

  /** Returns the {@code DataType} of a number: {@code DT_FLOAT}, {@code DT_FLOAT_REF}. */
  public static String constant(int number) {
    return number > REFERENCE
        ? constant(TYPES, number - REFERENCE) + "_REF"
        : constant(TYPES, number);
  }

  /** Returns the number of a type's {@code DataType}. */
  static int number(DataType type) {
    return TYPES.indexOf(TensorflowTypeNames.constant(type));
  }

  /** Returns the {@code TypeSpecClass} of a number. */
  public static String typeSpec(int number) {
    return constant(TYPE_SPECS, number);
  }

  private static String constant(List<String> names, int number) {
    return number >= 0 && number < names.size() ? names.get(number) : String.valueOf(number);
  }
}
