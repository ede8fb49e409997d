package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The options that all runs of a session share, which are the way to end one. Any thread. */
final class RunOptions implements AutoCloseable {
  private final long options;
  private volatile boolean interrupted;

  RunOptions() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      OrtApi.createRunOptions(out.address());
      this.options = out.get(JAVA_LONG, 0);
    }
  }

  /**
   * Options of a run that ends before its first operator and then frees what its session's memory
   * arena does not use. The arena forgets how large it wanted to grow.
   */
  static RunOptions shrinking() {
    RunOptions shrinking = shrinkingAfterwards();
    shrinking.interrupt();
    return shrinking;
  }

  /** Options of a run that, when it has ended, frees what its memory arena does not use. */
  static RunOptions shrinkingAfterwards() {
    var shrinking = new RunOptions();
    try (Arena arena = Arena.ofConfined()) {
      OrtApi.addRunConfigEntry(
          shrinking.options,
          arena.allocateFrom("memory.enable_memory_arena_shrinkage").address(),
          arena.allocateFrom("cpu:0").address());
      return shrinking;
    } catch (RuntimeException | Error e) {
      shrinking.close();
      throw e;
    }
  }

  /** For the C call. */
  long address() {
    return options;
  }

  /** Returns whether runs end at once. */
  boolean isInterrupted() {
    return interrupted;
  }

  /** Ends the run under way before its next operator, and later ones before their first. */
  synchronized void interrupt() {
    interrupted = true;
    OrtApi.runOptionsSetTerminate(options);
  }

  synchronized void resume() {
    OrtApi.runOptionsUnsetTerminate(options);
    interrupted = false;
  }

  @Override
  public void close() {
    OrtApi.releaseRunOptions(options);
  }
}
