package dev.sluice.protocol.tfs.grpc.wire;

import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.fieldSize;

import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.tfs.ClassificationResults;
import dev.sluice.protocol.tfs.LabelCursor;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationResult;
import dev.sluice.protocol.tfs.grpc.proto.Classifications;
import dev.sluice.protocol.tfs.grpc.proto.InferenceResult;

/** A ClassificationResult. Borrows the classes. */
final class EncodedClasses implements EncodedResults {
  private static final int CLASSIFICATIONS = ClassificationResult.CLASSIFICATIONS_FIELD_NUMBER;
  private static final int CLASSES = Classifications.CLASSES_FIELD_NUMBER;
  private static final int LABEL = dev.sluice.protocol.tfs.grpc.proto.Class.LABEL_FIELD_NUMBER;
  private static final int SCORE = dev.sluice.protocol.tfs.grpc.proto.Class.SCORE_FIELD_NUMBER;

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
      all += fieldSize(CLASSIFICATIONS, rowSizes[row]);
    }
    this.size = all;
  }

  private long rowSize(int row, LabelCursor labels) {
    long bytes = 0;
    for (int column = 0; column < classes.width(); column++) {
      labels.next();
      bytes += fieldSize(CLASSES, classSize(labels, classes.score(row, column)));
    }
    return bytes;
  }

  @Override
  public int field() {
    return InferenceResult.CLASSIFICATION_RESULT_FIELD_NUMBER;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void write(ProtobufWriter out) {
    LabelCursor labels = classes.labels();
    for (int row = 0; row < rowSizes.length; row++) {
      out.begin(CLASSIFICATIONS, rowSizes[row]);
      for (int column = 0; column < classes.width(); column++) {
        labels.next();
        write(labels, classes.score(row, column), out);
      }
    }
  }

  private static void write(LabelCursor label, float score, ProtobufWriter out) {
    out.begin(CLASSES, classSize(label, score));
    if (label.length() > 0) {
      out.bytes(LABEL, label.data(), label.offset(), label.length());
    }
    if (isSet(score)) {
      out.fixed(SCORE, score);
    }
  }

  /** Returns the size of a class; an empty or zero field is not written, as proto3 has it. */
  private static long classSize(LabelCursor label, float score) {
    long text = label.length() == 0 ? 0 : fieldSize(LABEL, label.length());
    return text + (isSet(score) ? 1 + Float.BYTES : 0);
  }

  /** Returns whether a score is written: it is anything but 0, of which -0 is not. */
  private static boolean isSet(float score) {
    return Float.floatToRawIntBits(score) != 0;
  }
}
