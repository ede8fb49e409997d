package dev.sluice.config.compat.triton;

import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.OnnxConfig.GraphOptimization;
import dev.sluice.config.model.OnnxConfig.Threads;
import dev.sluice.config.model.RuntimesConfig;
import java.util.Optional;

/** Translates the part of a Triton configuration that tunes ONNX Runtime. */
record TritonOptimization(TritonFields fields, ModelConfig model) {
  private static final int MOST_THREADS = 1024;

  RuntimesConfig runtimes(RuntimesConfig defaults) {
    OnnxConfig onnx = defaults.onnx();
    return new RuntimesConfig(
        new OnnxConfig(
            threads(onnx.threads()),
            onnx.memoryArena(),
            onnx.memoryPattern(),
            graphLevel(onnx.graphOptimization()),
            onnx.isolation()),
        defaults.tensorflow(),
        defaults.java());
  }

  private Threads threads(Threads defaults) {
    return new Threads(
        threads("intra_op_thread_count").or(defaults::intraOpThreads),
        threads("inter_op_thread_count").orElse(defaults.interOpThreads()),
        defaults.allowSpinning(),
        defaults.spread());
  }

  /** Returns the thread count of a parameter, whose value is a text; empty if it is not set. */
  private Optional<Integer> threads(String parameter) {
    var value = model.getParametersMap().get(parameter);
    if (value == null || value.getStringValue().isEmpty()) {
      return Optional.empty();
    }
    String text = value.getStringValue();
    try {
      return Optional.of(fields.number("string_value", Long.parseLong(text), MOST_THREADS));
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
