package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import java.util.Optional;

/**
 * ONNX Runtime session options.
 *
 * @param threads that a run takes
 * @param memoryArena whether freed memory is kept for the next run
 * @param memoryPattern whether memory is planned for repeated input shapes; a plan is kept for
 *     every shape
 * @param graphOptimization level of the graph optimization at load
 * @param isolation whether sessions have processes of their own
 */
public record OnnxConfig(
    Threads threads,
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

  /**
   * Threads of a run.
   *
   * @param intraOpThreads threads inside one operator; 1: the model's worker thread, 0: ONNX
   *     Runtime chooses; auto: 1, and for text encoders whose texts run together as many as cores
   * @param interOpThreads threads across operators; above 1 the graph runs in parallel mode, 0:
   *     ONNX Runtime chooses
   * @param allowSpinning whether idle threads spin, which takes a core, while they wait for work
   * @param spread whether a number of threads that is left open is the number of cores
   */
  public record Threads(
      Optional<Integer> intraOpThreads, int interOpThreads, boolean allowSpinning, boolean spread) {
    public static final Threads DEFAULT = new Threads(Optional.empty(), 1, false, false);

    /** Cores that a run which is spread counts as, so that large machines run several at once. */
    private static final int CORES_OF_A_RUN = 4;

    /** Returns the same for a model whose single requests gain from all cores. */
    public Threads spreading() {
      return new Threads(intraOpThreads, interOpThreads, allowSpinning, true);
    }

    /** Returns whether the settings leave it open, and the model gains from all cores. */
    public boolean areSpread() {
      return spread && intraOpThreads.isEmpty();
    }

    /** Returns how many threads an operator has; 0: ONNX Runtime chooses. */
    public int intraOp(int cores) {
      return intraOpThreads.orElse(spread ? cores : 1);
    }

    /** Returns how many cores a run keeps busy, if there are as many; 0: all. */
    public int coresOfARun() {
      return areSpread() ? CORES_OF_A_RUN : intraOpThreads.orElse(1);
    }

    /** Returns whether a run keeps to the thread that begins it. */
    public boolean isSingle(int cores) {
      return intraOp(cores) == 1 && interOpThreads == 1;
    }

    private static Threads read(Section onnx, Threads defaults) {
      return new Threads(
          onnx.numberOrAuto("intra_op_threads", defaults.intraOpThreads, 0, MOST_THREADS),
          onnx.number("inter_op_threads", defaults.interOpThreads, 0, MOST_THREADS),
          onnx.flag("allow_spinning", defaults.allowSpinning),
          defaults.spread);
    }
  }

  /** More than any machine's cores. */
  private static final int MOST_THREADS = 1024;

  public static final OnnxConfig DEFAULT =
      new OnnxConfig(Threads.DEFAULT, true, false, GraphOptimization.ALL);

  /** Sessions in the server's own process. */
  public OnnxConfig(
      Threads threads,
      boolean memoryArena,
      boolean memoryPattern,
      GraphOptimization graphOptimization) {
    this(threads, memoryArena, memoryPattern, graphOptimization, IsolationConfig.DEFAULT);
  }

  /** Returns a copy with processes of their own, or not. */
  public OnnxConfig with(IsolationConfig other) {
    return new OnnxConfig(threads, memoryArena, memoryPattern, graphOptimization, other);
  }

  /** Returns a copy with other threads. */
  public OnnxConfig with(Threads other) {
    return new OnnxConfig(other, memoryArena, memoryPattern, graphOptimization, isolation);
  }

  /** Reads the settings of how ONNX models are run. */
  public static OnnxConfig read(Section onnx, OnnxConfig defaults) {
    return new OnnxConfig(
        Threads.read(onnx, defaults.threads),
        onnx.flag("memory_arena", defaults.memoryArena),
        onnx.flag("memory_pattern", defaults.memoryPattern),
        onnx.choice("graph_optimization", defaults.graphOptimization),
        IsolationConfig.read(onnx, defaults.isolation));
  }
}
