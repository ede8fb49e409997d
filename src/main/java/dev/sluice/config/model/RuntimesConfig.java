package dev.sluice.config.model;

import dev.sluice.config.binding.Section;

/** Settings of the model runtimes. A model's own settings replace the server's key by key. */
public record RuntimesConfig(OnnxConfig onnx, TensorflowConfig tensorflow, JavaConfig java) {
  public static final RuntimesConfig DEFAULT =
      new RuntimesConfig(OnnxConfig.DEFAULT, TensorflowConfig.DEFAULT);

  /** Without settings of plugins. */
  public RuntimesConfig(OnnxConfig onnx, TensorflowConfig tensorflow) {
    this(onnx, tensorflow, JavaConfig.DEFAULT);
  }

  /**
   * Returns whether sessions of a runtime have processes of their own.
   *
   * @param runtime its key in settings
   */
  public IsolationConfig isolation(String runtime) {
    return switch (runtime) {
      case "onnx" -> onnx.isolation();
      case "tensorflow" -> tensorflow.isolation();
      default -> IsolationConfig.DEFAULT;
    };
  }

  /** Returns whether sessions of any runtime have processes of their own. */
  public boolean isolatesAny() {
    return onnx.isolation().mode() == IsolationConfig.Mode.PROCESS
        || tensorflow.isolation().mode() == IsolationConfig.Mode.PROCESS;
  }

  /** Returns whether sessions of all runtimes have processes of their own. */
  boolean isolatesAll() {
    return onnx.isolation().mode() == IsolationConfig.Mode.PROCESS
        && tensorflow.isolation().mode() == IsolationConfig.Mode.PROCESS;
  }

  /** Returns the isolation that a model's own settings say, whichever runtime it has. */
  RuntimesConfig isolated(Section model) {
    return new RuntimesConfig(
        onnx.with(IsolationConfig.read(model, onnx.isolation())),
        tensorflow.with(IsolationConfig.read(model, tensorflow.isolation())),
        java);
  }
}
