package dev.sluice.config.compat.tfs;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;

/** TensorFlow Serving's {@code models.config}, of a file or of a HandleReloadConfigRequest. */
final class TfsModelsFileFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    String text = new InputBytes(input).text();
    var _ = Rejection.file(() -> TensorflowModelFile.read("models.config", text, _ -> {}));
  }
}
