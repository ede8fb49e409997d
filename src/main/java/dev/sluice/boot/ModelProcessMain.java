package dev.sluice.boot;

import dev.sluice.runtime.isolation.ModelProcess;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.runtime.tensorflow.TensorflowRuntimeProvider;
import java.io.IOException;
import java.util.List;

/**
 * Entry point of the process of one model. Started by a server only.
 *
 * <p>Reads commands from standard input until it ends, which is when the server has exited too: no
 * model process outlives its server.
 */
public final class ModelProcessMain {
  private ModelProcessMain() {}

  /** Does what the server says through the standard input, until that ends. */
  public static void main(String[] arguments) throws IOException {
    ModelProcess.run(
        System.in, List.of(new OnnxRuntimeProvider(), new TensorflowRuntimeProvider()));
  }
}
