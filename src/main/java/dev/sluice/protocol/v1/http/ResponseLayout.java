package dev.sluice.protocol.v1.http;

/** The layout of an answer. */
enum ResponseLayout {
  /** {@code predictions}: one element for each row. */
  ROWS,
  /** {@code outputs}: whole tensors. */
  COLUMNS,
  /** {@code outputs}, and where that is a list, the same under {@code predictions}. */
  BOTH
}
