package dev.sluice.config;

/** How the model runtimes are opened. A model's own settings replace the server's key by key. */
public record RuntimesConfig(OnnxConfig onnx, TensorflowConfig tensorflow, JavaConfig java) {
  public static final RuntimesConfig DEFAULT =
      new RuntimesConfig(OnnxConfig.DEFAULT, TensorflowConfig.DEFAULT);

  /** Without anything said about own code. */
  public RuntimesConfig(OnnxConfig onnx, TensorflowConfig tensorflow) {
    this(onnx, tensorflow, JavaConfig.DEFAULT);
  }
}
