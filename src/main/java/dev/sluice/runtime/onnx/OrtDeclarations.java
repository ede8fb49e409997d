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
  static final OrtDeclarations INPUTS = at(30, 33, 36);
  static final OrtDeclarations OUTPUTS = at(31, 34, 37);

  /** Inputs with a default that a run may replace. */
  static final OrtDeclarations OPTIONAL_INPUTS = at(32, 35, 38);

  private static OrtDeclarations at(int count, int typeInfo, int name) {
    return new OrtDeclarations(
        OrtApi.function(count, 2), OrtApi.function(typeInfo, 3), OrtApi.function(name, 4));
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
