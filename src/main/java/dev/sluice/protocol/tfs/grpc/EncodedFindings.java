package dev.sluice.protocol.tfs.grpc;

import dev.sluice.protocol.tfs.Classes;
import dev.sluice.protocol.tfs.Findings;
import dev.sluice.protocol.tfs.Values;

/** A ClassificationResult or a RegressionResult, measured and ready to be written. */
sealed interface EncodedFindings permits EncodedClasses, EncodedRegressions {
  static EncodedFindings of(Findings findings) {
    return switch (findings) {
      case Classes classes -> new EncodedClasses(classes);
      case Values values -> new EncodedRegressions(values);
    };
  }

  /** Bytes that {@link #write} will write. */
  long size();

  /** Writes the message's fields. */
  void write(WireWriter out);

  /** Its number in an InferenceResult. */
  int field();
}
