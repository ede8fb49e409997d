package dev.sluice.protocol.codec.protobuf;

/**
 * The number in front of every field: the field's number in the upper bits, the form of its value
 * in the lower three. Tags of known fields are constants, {@code X_FIELD_NUMBER << 3 | DELIMITED},
 * so that readers switch on them.
 */
public final class ProtobufTag {
  /** The form of integers, booleans and enums: seven bits in each byte. */
  public static final int VARINT = 0;

  /** The form of doubles: eight bytes. */
  public static final int FIXED64 = 1;

  /** The form of texts, bytes, messages and packed lists: a length in front. */
  public static final int DELIMITED = 2;

  /** The form in which a group begins, which is read over. */
  public static final int GROUP = 3;

  /** The form in which a group ends. */
  public static final int GROUP_END = 4;

  /** The form of floats: four bytes. */
  public static final int FIXED32 = 5;

  /** The field of a map's entry that holds its key. */
  public static final int KEY_FIELD = 1;

  /** The field of a map's entry that holds its value. */
  public static final int VALUE_FIELD = 2;

  private ProtobufTag() {}

  /** Returns the tag of a delimited field. */
  public static int delimited(int field) {
    return field << 3 | DELIMITED;
  }

  /** Returns the field's number in a tag. */
  public static int field(int tag) {
    return tag >>> 3;
  }

  /** Returns the form in a tag. */
  public static int form(int tag) {
    return tag & 7;
  }
}
