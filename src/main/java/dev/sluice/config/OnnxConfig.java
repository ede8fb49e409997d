package dev.sluice.config;

/**
 * ONNX Runtime session options.
 *
 * @param intraOpThreads threads inside one operator; 1 keeps a run on the model's own thread, 0
 *     lets ONNX Runtime choose
 * @param interOpThreads threads across operators; above 1 the graph runs in parallel mode, with 0
 *     ONNX Runtime chooses
 * @param allowSpinning whether idle threads burn a core while they wait for work
 * @param memoryArena whether the runtime keeps freed memory for the next run
 * @param memoryPattern whether the runtime plans memory for repeated input shapes; it keeps a plan
 *     for every shape that was ever seen
 * @param graphOptimization how far the graph is rewritten when it is loaded
 */
public record OnnxConfig(
    int intraOpThreads,
    int interOpThreads,
    boolean allowSpinning,
    boolean memoryArena,
    boolean memoryPattern,
    GraphOptimization graphOptimization) {
  public enum GraphOptimization {
    NONE,
    BASIC,
    EXTENDED,
    ALL
  }

  public static final OnnxConfig DEFAULT =
      new OnnxConfig(1, 1, false, true, false, GraphOptimization.ALL);

  /** More than any machine's cores. */
  private static final int MOST_THREADS = 1024;

  static OnnxConfig read(Section onnx, OnnxConfig defaults) {
    return new OnnxConfig(
        onnx.number("intra_op_threads", defaults.intraOpThreads, 0, MOST_THREADS),
        onnx.number("inter_op_threads", defaults.interOpThreads, 0, MOST_THREADS),
        onnx.flag("allow_spinning", defaults.allowSpinning),
        onnx.flag("memory_arena", defaults.memoryArena),
        onnx.flag("memory_pattern", defaults.memoryPattern),
        onnx.choice("graph_optimization", defaults.graphOptimization));
  }
}
