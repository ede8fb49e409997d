package dev.sluice.runtime.onnx;

import dev.sluice.runtime.NativeFunction;

/**
 * The C functions for values that are no tensors: lists and maps of them. Like {@link OrtApi}'s,
 * they write what they give to {@code out}.
 */
final class OrtCollections {
  private static final NativeFunction GET_VALUE = OrtApi.bind(OrtFunction.GET_VALUE);
  private static final NativeFunction GET_VALUE_COUNT = OrtApi.bind(OrtFunction.GET_VALUE_COUNT);
  private static final NativeFunction CAST_TYPE_INFO_TO_MAP =
      OrtApi.bind(OrtFunction.CAST_TYPE_INFO_TO_MAP_TYPE_INFO);
  private static final NativeFunction CAST_TYPE_INFO_TO_SEQUENCE =
      OrtApi.bind(OrtFunction.CAST_TYPE_INFO_TO_SEQUENCE_TYPE_INFO);
  private static final NativeFunction GET_MAP_KEY_TYPE = OrtApi.bind(OrtFunction.GET_MAP_KEY_TYPE);
  private static final NativeFunction GET_MAP_VALUE_TYPE =
      OrtApi.bind(OrtFunction.GET_MAP_VALUE_TYPE);
  private static final NativeFunction GET_SEQUENCE_ELEMENT_TYPE =
      OrtApi.bind(OrtFunction.GET_SEQUENCE_ELEMENT_TYPE);

  private OrtCollections() {}

  /**
   * Gives an element of a list; or of a map, where 0 stands for its keys and 1 for its values, each
   * a tensor in the order of the keys. What is given is the caller's to release.
   */
  static void getValue(long collection, long index, long allocator, long out) {
    OrtStatus.check(GET_VALUE.call(collection, index, allocator, out));
  }

  static void getValueCount(long collection, long out) {
    OrtStatus.check(GET_VALUE_COUNT.call(collection, out));
  }

  /** Gives a view that lives as long as the type info. */
  static void castTypeInfoToMap(long typeInfo, long out) {
    OrtStatus.check(CAST_TYPE_INFO_TO_MAP.call(typeInfo, out));
  }

  /** Gives a view that lives as long as the type info. */
  static void castTypeInfoToSequence(long typeInfo, long out) {
    OrtStatus.check(CAST_TYPE_INFO_TO_SEQUENCE.call(typeInfo, out));
  }

  static void getMapKeyType(long map, long out) {
    OrtStatus.check(GET_MAP_KEY_TYPE.call(map, out));
  }

  /** The type info is the caller's to release. */
  static void getMapValueType(long map, long out) {
    OrtStatus.check(GET_MAP_VALUE_TYPE.call(map, out));
  }

  /** The type info is the caller's to release. */
  static void getSequenceElementType(long sequence, long out) {
    OrtStatus.check(GET_SEQUENCE_ELEMENT_TYPE.call(sequence, out));
  }
}
