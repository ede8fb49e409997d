package dev.sluice.config.model;

import dev.sluice.config.binding.Section;

/**
 * ONNX Runtime session options.
 *
 * @param intraOpThreads threads inside one operator; 1: the model's worker thread, 0: ONNX Runtime
 *     chooses
 * @param interOpThreads threads across operators; above 1 the graph runs in parallel mode, 0: ONNX
 *     Runtime chooses
 * @param allowSpinning whether idle threads spin, which takes a core, while they wait for work
 * @param memoryArena whether freed memory is kept for the next run
 * @param memoryPattern whether memory is planned for repeated input shapes; a plan is kept for
 *     every shape
 * @param graphOptimization level of the graph optimization at load
 * @param isolation whether sessions have processes of their own
 */
public record OnnxConfig(
    int intraOpThreads,
    int interOpThreads,
    boolean allowSpinning,
    boolean memoryArena,
    boolean memoryPattern,
    GraphOptimization graphOptimization,
    IsolationConfig isolation) {
  public enum GraphOptimization {
    NONE,
    BASIC,
    EXTENDED,
    ALL
  }

  public static final OnnxConfig DEFAULT =
      new OnnxConfig(1, 1, false, true, false, GraphOptimization.ALL);

  /** Sessions in the server's own process. */
  public OnnxConfig(
      int intraOpThreads,
      int interOpThreads,
      boolean allowSpinning,
      boolean memoryArena,
      boolean memoryPattern,
      GraphOptimization graphOptimization) {
    this(
        intraOpThreads,
        interOpThreads,
        allowSpinning,
        memoryArena,
        memoryPattern,
        graphOptimization,
        IsolationConfig.DEFAULT);
  }

  /** Returns whether a run keeps to the thread that begins it. */
  public boolean isSingleThreaded() {
    return intraOpThreads == 1 && interOpThreads == 1;
  }

  /** Returns a copy with processes of their own, or not. */
  public OnnxConfig with(IsolationConfig other) {
    return new OnnxConfig(
        intraOpThreads,
        interOpThreads,
        allowSpinning,
        memoryArena,
        memoryPattern,
        graphOptimization,
        other);
  }

  /** More than any machine's cores. */
  private static final int MOST_THREADS = 1024;

  /** Reads the settings of how ONNX models are run. */
  public static OnnxConfig read(Section onnx, OnnxConfig defaults) {
    return new OnnxConfig(
        onnx.number("intra_op_threads", defaults.intraOpThreads, 0, MOST_THREADS),
        onnx.number("inter_op_threads", defaults.interOpThreads, 0, MOST_THREADS),
        onnx.flag("allow_spinning", defaults.allowSpinning),
        onnx.flag("memory_arena", defaults.memoryArena),
        onnx.flag("memory_pattern", defaults.memoryPattern),
        onnx.choice("graph_optimization", defaults.graphOptimization),
        IsolationConfig.read(onnx, defaults.isolation));
  }
}
