package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.OnnxConfig.Threads;
import dev.sluice.runtime.NativeMemory;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/** Creates sessions as settings ask. */
final class OnnxSessionOptions {
  private static final int SEQUENTIAL = 0;
  private static final int PARALLEL = 1;

  /** Cores of the machine, or of the container. */
  static final int CORES = Runtime.getRuntime().availableProcessors();

  /**
   * Time for which threads of a run that is spread over the cores spin before they sleep, so that
   * the next operator finds them: without they help less, and without end they take cores from
   * others.
   */
  private static final String SPIN_MICROS = "50";

  private OnnxSessionOptions() {}

  /**
   * Opens a model file; files that it refers to are found beside it.
   *
   * @param memoryLimit bytes that all sessions with one may take together; 0: no limit
   */
  static long createSession(Path file, OnnxConfig config, long memoryLimit) {
    try (Arena arena = Arena.ofConfined()) {
      long out = arena.allocate(JAVA_LONG).address();
      OrtApi.createSessionOptions(out);
      long options = NativeMemory.getLong(out);
      try {
        configure(options, config, arena);
        if (isLimited(config, memoryLimit)) {
          SharedArena.require(memoryLimit);
          shareArena(options, arena);
        }
        long path = arena.allocateFrom(file.toAbsolutePath().toString()).address();
        OrtApi.createSession(OrtEnvironment.HANDLE, path, options, out);
        return NativeMemory.getLong(out);
      } finally {
        OrtApi.releaseSessionOptions(options);
      }
    }
  }

  private static void configure(long options, OnnxConfig config, Arena arena) {
    OrtApi.setSessionLogSeverityLevel(options, OrtEnvironment.LOG_LEVEL);
    setThreads(options, config.threads(), arena);
    OrtApi.setSessionGraphOptimizationLevel(options, level(config.graphOptimization()));
    if (!config.memoryArena()) {
      OrtApi.disableCpuMemArena(options);
    }
    if (!config.memoryPattern()) {
      OrtApi.disableMemPattern(options);
    }
  }

  private static void setThreads(long options, Threads threads, Arena arena) {
    OrtApi.setIntraOpNumThreads(options, threads.intraOp(CORES));
    OrtApi.setInterOpNumThreads(options, threads.interOpThreads());
    OrtApi.setSessionExecutionMode(options, threads.interOpThreads() > 1 ? PARALLEL : SEQUENTIAL);
    boolean spinsBriefly = threads.areSpread() && !threads.allowSpinning();
    setSpinning(options, "intra_op", threads.allowSpinning() || spinsBriefly, arena);
    setSpinning(options, "inter_op", threads.allowSpinning(), arena);
    if (spinsBriefly) {
      addEntry(options, "session.intra_op.spin_duration_us", SPIN_MICROS, arena);
    }
  }

  private static void setSpinning(long options, String pool, boolean spins, Arena arena) {
    addEntry(options, "session." + pool + ".allow_spinning", spins ? "1" : "0", arena);
  }

  /** Returns whether the session takes its memory from the shared arena: one without any cannot. */
  static boolean isLimited(OnnxConfig config, long memoryLimit) {
    return memoryLimit > 0 && config.memoryArena();
  }

  /** Has the session take its memory from the shared arena. */
  static void shareArena(long options, Arena arena) {
    addEntry(options, "session.use_env_allocators", "1", arena);
  }

  private static void addEntry(long options, String key, String value, Arena arena) {
    OrtApi.addSessionConfigEntry(
        options, arena.allocateFrom(key).address(), arena.allocateFrom(value).address());
  }

  private static int level(OnnxConfig.GraphOptimization optimization) {
    return switch (optimization) {
      case NONE -> 0;
      case BASIC -> 1;
      case EXTENDED -> 2;
      case ALL -> 99;
    };
  }
}
