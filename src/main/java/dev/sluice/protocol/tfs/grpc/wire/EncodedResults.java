package dev.sluice.protocol.tfs.grpc.wire;

import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.tfs.ClassificationResults;
import dev.sluice.protocol.tfs.ExampleResults;
import dev.sluice.protocol.tfs.RegressionResults;

/** A ClassificationResult or a RegressionResult, measured and ready to be written. */
public sealed interface EncodedResults permits EncodedClasses, EncodedRegressions {
  /** Encodes the results of a classification or a regression. */
  static EncodedResults of(ExampleResults findings) {
    return switch (findings) {
      case ClassificationResults classes -> new EncodedClasses(classes);
      case RegressionResults values -> new EncodedRegressions(values);
    };
  }

  /** Returns the number of bytes that {@link #write} will write. */
  long size();

  /** Writes the message's fields. */
  void write(ProtobufWriter out);

  /** Returns its number in an InferenceResult. */
  int field();
}
