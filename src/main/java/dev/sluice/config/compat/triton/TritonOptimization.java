package dev.sluice.config.compat.triton;

import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.OnnxConfig.GraphOptimization;
import dev.sluice.config.model.RuntimesConfig;

/** Translates the part of a Triton configuration that tunes ONNX Runtime. */
record TritonOptimization(TritonFields fields, ModelConfig model) {
  private static final int MOST_THREADS = 1024;

  RuntimesConfig runtimes(RuntimesConfig defaults) {
    OnnxConfig onnx = defaults.onnx();
    return new RuntimesConfig(
        new OnnxConfig(
            threads("intra_op_thread_count", onnx.intraOpThreads()),
            threads("inter_op_thread_count", onnx.interOpThreads()),
            onnx.allowSpinning(),
            onnx.memoryArena(),
            onnx.memoryPattern(),
            graphLevel(onnx.graphOptimization()),
            onnx.isolation()),
        defaults.tensorflow(),
        defaults.java());
  }

  /** Returns the thread count of a parameter, whose value is a text. */
  private int threads(String parameter, int otherwise) {
    var value = model.getParametersMap().get(parameter);
    if (value == null || value.getStringValue().isEmpty()) {
      return otherwise;
    }
    String text = value.getStringValue();
    try {
      return fields.number("string_value", Long.parseLong(text), MOST_THREADS);
    } catch (NumberFormatException _) {
      throw fields.error("string_value", text, "a whole number from 0 to " + MOST_THREADS);
    }
  }

  private GraphOptimization graphLevel(GraphOptimization otherwise) {
    if (!model.getOptimization().hasGraph()) {
      return otherwise;
    }
    int level = model.getOptimization().getGraph().getLevel();
    return switch ((int) fields.whole("level", level, -1, 2)) {
      case -1 -> GraphOptimization.BASIC;
      case 1 -> GraphOptimization.EXTENDED;
      default -> GraphOptimization.ALL;
    };
  }
}
