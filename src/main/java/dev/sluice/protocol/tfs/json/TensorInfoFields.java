package dev.sluice.protocol.tfs.json;

import java.util.List;

/** The fields of TensorFlow's TensorInfo and the messages within it, as their proto files say. */
final class TensorInfoFields {
  /** The form of a value in JSON. */
  enum Form {
    TEXT,
    INT,
    /** A text in JSON, as every number of 64 bits. */
    LONG,
    ZIGZAG_LONG,
    BOOL,
    DOUBLE,
    TYPE,
    TYPE_CLASS,
    MESSAGE
  }

  /** The occasions on which a field is written. */
  enum Presence {
    /** Written with the value that it has if it is not there. */
    ALWAYS,
    /** Written if it is there. */
    IF_SET,
    LIST,
    MAP
  }

  /** A message of the schema. */
  enum Message {
    TENSOR_INFO,
    COO_SPARSE,
    COMPOSITE_TENSOR,
    SHAPE,
    DIM,
    TYPE_SPEC,
    STRUCTURED_VALUE,
    EMPTY,
    TENSOR_SPEC,
    VALUES,
    FIELDS,
    NAMED_TUPLE,
    PAIR
  }

  /** A field of a message, in the order of protobuf's JSON form. */
  record Field(int number, String name, Form form, Presence presence, Message message) {
    Field(int number, String name, Form form, Presence presence) {
      this(number, name, form, presence, Message.EMPTY);
    }

    static Field always(int number, String name, Form form) {
      return new Field(number, name, form, Presence.ALWAYS);
    }

    static Field ifSet(int number, String name, Form form) {
      return new Field(number, name, form, Presence.IF_SET);
    }

    static Field message(int number, String name, Message message) {
      return new Field(number, name, Form.MESSAGE, Presence.IF_SET, message);
    }

    static Field list(int number, String name, Message message) {
      return new Field(number, name, Form.MESSAGE, Presence.LIST, message);
    }
  }

  private static final List<Field> TENSOR_INFO =
      List.of(
          Field.always(2, "dtype", Form.TYPE),
          Field.message(3, "tensor_shape", Message.SHAPE),
          Field.ifSet(1, "name", Form.TEXT),
          Field.message(4, "coo_sparse", Message.COO_SPARSE),
          Field.message(5, "composite_tensor", Message.COMPOSITE_TENSOR));

  private static final List<Field> COO_SPARSE =
      List.of(
          Field.always(1, "values_tensor_name", Form.TEXT),
          Field.always(2, "indices_tensor_name", Form.TEXT),
          Field.always(3, "dense_shape_tensor_name", Form.TEXT));

  private static final List<Field> COMPOSITE_TENSOR =
      List.of(
          Field.message(1, "type_spec", Message.TYPE_SPEC),
          Field.list(2, "components", Message.TENSOR_INFO));

  private static final List<Field> SHAPE =
      List.of(Field.list(2, "dim", Message.DIM), Field.always(3, "unknown_rank", Form.BOOL));

  private static final List<Field> DIM =
      List.of(Field.always(1, "size", Form.LONG), Field.always(2, "name", Form.TEXT));

  private static final List<Field> TYPE_SPEC =
      List.of(
          Field.always(1, "type_spec_class", Form.TYPE_CLASS),
          Field.message(2, "type_state", Message.STRUCTURED_VALUE),
          Field.always(3, "type_spec_class_name", Form.TEXT),
          Field.always(4, "num_flat_components", Form.INT));

  private static final List<Field> STRUCTURED_VALUE =
      List.of(
          Field.message(1, "none_value", Message.EMPTY),
          Field.ifSet(11, "float64_value", Form.DOUBLE),
          Field.ifSet(12, "int64_value", Form.ZIGZAG_LONG),
          Field.ifSet(13, "string_value", Form.TEXT),
          Field.ifSet(14, "bool_value", Form.BOOL),
          Field.message(31, "tensor_shape_value", Message.SHAPE),
          Field.ifSet(32, "tensor_dtype_value", Form.TYPE),
          Field.message(33, "tensor_spec_value", Message.TENSOR_SPEC),
          Field.message(34, "type_spec_value", Message.TYPE_SPEC),
          Field.message(35, "bounded_tensor_spec_value", Message.TENSOR_SPEC),
          Field.message(51, "list_value", Message.VALUES),
          Field.message(52, "tuple_value", Message.VALUES),
          Field.message(53, "dict_value", Message.FIELDS),
          Field.message(54, "named_tuple_value", Message.NAMED_TUPLE));

  private static final List<Field> VALUES =
      List.of(Field.list(1, "values", Message.STRUCTURED_VALUE));

  private static final List<Field> FIELDS =
      List.of(new Field(1, "fields", Form.MESSAGE, Presence.MAP, Message.STRUCTURED_VALUE));

  private static final List<Field> NAMED_TUPLE =
      List.of(Field.always(1, "name", Form.TEXT), Field.list(2, "values", Message.PAIR));

  private static final List<Field> PAIR =
      List.of(
          Field.always(1, "key", Form.TEXT), Field.message(2, "value", Message.STRUCTURED_VALUE));

  private static final List<Field> TENSOR_SPEC =
      List.of(
          Field.always(1, "name", Form.TEXT),
          Field.message(2, "shape", Message.SHAPE),
          Field.always(3, "dtype", Form.TYPE));

  private TensorInfoFields() {}

  /** Returns the fields of a message, in the order in which they are written. */
  static List<Field> of(Message message) {
    return switch (message) {
      case TENSOR_INFO -> TENSOR_INFO;
      case COO_SPARSE -> COO_SPARSE;
      case COMPOSITE_TENSOR -> COMPOSITE_TENSOR;
      case SHAPE -> SHAPE;
      case DIM -> DIM;
      case TYPE_SPEC -> TYPE_SPEC;
      case STRUCTURED_VALUE -> STRUCTURED_VALUE;
      case EMPTY -> List.of();
      case TENSOR_SPEC -> TENSOR_SPEC;
      case VALUES -> VALUES;
      case FIELDS -> FIELDS;
      case NAMED_TUPLE -> NAMED_TUPLE;
      case PAIR -> PAIR;
    };
  }
}
