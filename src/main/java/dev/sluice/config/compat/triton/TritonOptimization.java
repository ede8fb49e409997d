package dev.sluice.config.compat.triton;

import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.OnnxConfig.GraphOptimization;
import dev.sluice.config.model.RuntimesConfig;
import java.util.Optional;

/** Translates the part of a Triton {@code config.pbtxt} that tunes ONNX Runtime. */
record TritonOptimization(ProtoFields model) {
  private static final int MOST_THREADS = 1024;

  RuntimesConfig runtimes(RuntimesConfig defaults) {
    OnnxConfig onnx = defaults.onnx();
    return new RuntimesConfig(
        new OnnxConfig(
            threads("intra_op_thread_count").orElse(onnx.intraOpThreads()),
            threads("inter_op_thread_count").orElse(onnx.interOpThreads()),
            onnx.allowSpinning(),
            onnx.memoryArena(),
            onnx.memoryPattern(),
            graphLevel().orElse(onnx.graphOptimization()),
            onnx.isolation()),
        defaults.tensorflow(),
        defaults.java());
  }

  /** Returns the thread count of a parameter, whose value is a text. */
  private Optional<Integer> threads(String parameter) {
    return model.inners("parameters").stream()
        .filter(entry -> entry.text("key").orElse("").equals(parameter))
        .flatMap(entry -> entry.inner("value").stream())
        .flatMap(value -> value.whole("string_value", 0, MOST_THREADS).stream())
        .map(Long::intValue)
        .findFirst();
  }

  private Optional<GraphOptimization> graphLevel() {
    return model
        .inner("optimization")
        .flatMap(optimization -> optimization.inner("graph"))
        .flatMap(graph -> graph.whole("level", -1, 2))
        .map(level ->
            switch (level.intValue()) {
              case -1 -> GraphOptimization.BASIC;
              case 1 -> GraphOptimization.EXTENDED;
              default -> GraphOptimization.ALL;
            });
  }
}
