package dev.sluice.runtime.onnx;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputFile;
import dev.sluice.fuzz.Rejection;
import dev.sluice.runtime.onnx.graph.ModelInspection;
import java.nio.file.Path;

/** The operators of an ONNX file, which are looked at before ONNX Runtime opens it. */
final class OnnxFileFuzz implements FuzzTarget {
  private final InputFile file = new InputFile("model.onnx");

  @Override
  public void accept(byte[] input) {
    Path path = file.with(input);
    var _ = Rejection.request(() -> ModelInspection.check(path));
  }
}
