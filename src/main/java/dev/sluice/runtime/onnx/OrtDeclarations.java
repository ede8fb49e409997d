package dev.sluice.runtime.onnx;

import dev.sluice.runtime.NativeFunction;

/**
 * The C functions that list what a session declares of one kind. Like {@link OrtApi}'s, they write
 * what they give to {@code out}.
 *
 * @param count how many there are
 * @param typeInfo of the one at an index
 * @param name of the one at an index
 */
record OrtDeclarations(NativeFunction count, NativeFunction typeInfo, NativeFunction name) {
  static final OrtDeclarations INPUTS =
      of(
          OrtFunction.SESSION_GET_INPUT_COUNT,
          OrtFunction.SESSION_GET_INPUT_TYPE_INFO,
          OrtFunction.SESSION_GET_INPUT_NAME);
  static final OrtDeclarations OUTPUTS =
      of(
          OrtFunction.SESSION_GET_OUTPUT_COUNT,
          OrtFunction.SESSION_GET_OUTPUT_TYPE_INFO,
          OrtFunction.SESSION_GET_OUTPUT_NAME);

  /** Inputs with a default that a run may replace. */
  static final OrtDeclarations OPTIONAL_INPUTS =
      of(
          OrtFunction.SESSION_GET_OVERRIDABLE_INITIALIZER_COUNT,
          OrtFunction.SESSION_GET_OVERRIDABLE_INITIALIZER_TYPE_INFO,
          OrtFunction.SESSION_GET_OVERRIDABLE_INITIALIZER_NAME);

  private static OrtDeclarations of(OrtFunction count, OrtFunction typeInfo, OrtFunction name) {
    return new OrtDeclarations(OrtApi.bind(count), OrtApi.bind(typeInfo), OrtApi.bind(name));
  }

  void getCount(long session, long out) {
    OrtStatus.check(count.call(session, out));
  }

  /** The type info is the caller's to release. */
  void getTypeInfo(long session, long index, long out) {
    OrtStatus.check(typeInfo.call(session, index, out));
  }

  /** The name is the caller's to give back to the allocator. */
  void getName(long session, long index, long allocator, long out) {
    OrtStatus.check(name.call(session, index, allocator, out));
  }
}
