package dev.sluice.protocol.tfs.grpc.wire;

import static dev.sluice.protocol.tfs.grpc.wire.TfsWireWriter.delimitedSize;

import dev.sluice.protocol.tfs.ClassificationResults;
import dev.sluice.protocol.tfs.LabelCursor;

/** A ClassificationResult. Borrows the classes. */
final class EncodedClasses implements EncodedResults {
  private static final int CLASSIFICATIONS = 1 << 3 | 2;
  private static final int CLASSES = 1 << 3 | 2;
  private static final int LABEL = 1 << 3 | 2;
  private static final int SCORE = 2 << 3 | 5;

  private final ClassificationResults classes;

  /** Bytes of each example's Classifications. */
  private final long[] rowSizes;

  private final long size;

  EncodedClasses(ClassificationResults classes) {
    this.classes = classes;
    this.rowSizes = new long[classes.rows()];
    LabelCursor labels = classes.labels();
    long all = 0;
    for (int row = 0; row < rowSizes.length; row++) {
      rowSizes[row] = rowSize(row, labels);
      all += 1 + delimitedSize(rowSizes[row]);
    }
    this.size = all;
  }

  private long rowSize(int row, LabelCursor labels) {
    long bytes = 0;
    for (int column = 0; column < classes.width(); column++) {
      labels.next();
      bytes += 1 + delimitedSize(classSize(labels, bits(row, column)));
    }
    return bytes;
  }

  @Override
  public int field() {
    return 2;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void write(TfsWireWriter out) {
    LabelCursor labels = classes.labels();
    for (int row = 0; row < rowSizes.length; row++) {
      out.open(CLASSIFICATIONS, rowSizes[row]);
      for (int column = 0; column < classes.width(); column++) {
        labels.next();
        write(labels, bits(row, column), out);
      }
    }
  }

  private static void write(LabelCursor label, int score, TfsWireWriter out) {
    out.open(CLASSES, classSize(label, score));
    if (label.length() > 0) {
      out.open(LABEL, label.length());
      out.bytes(label.data(), label.offset(), label.length());
    }
    if (score != 0) {
      out.varint(SCORE);
      out.fixed32(score);
    }
  }

  /** Returns the size of a class; an empty or zero field is not written, as proto3 has it. */
  private static long classSize(LabelCursor label, int score) {
    long text = label.length() == 0 ? 0 : 1 + delimitedSize(label.length());
    return text + (score == 0 ? 0 : 1 + Float.BYTES);
  }

  private int bits(int row, int column) {
    return Float.floatToRawIntBits(classes.score(row, column));
  }
}
