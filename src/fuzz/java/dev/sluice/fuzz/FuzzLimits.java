package dev.sluice.fuzz;

import com.sun.management.ThreadMXBean;
import dev.sluice.tensor.TensorMemory;
import java.lang.management.ManagementFactory;

/**
 * Gives a target one input and requires what holds for each of them: native blocks are freed, and
 * neither memory nor time go beyond a factor of the input. An input that goes beyond is measured
 * again, since the first one also loads and compiles classes. One thread.
 */
public final class FuzzLimits {
  /** Processor time of an input of any kept size. */
  private static final long MOST_NANOS = 5_000_000_000L;

  private static final int ATTEMPTS = 3;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private FuzzLimits() {}

  /** Runs the target; throws what it throws, or an {@link AssertionError}. */
  public static void require(FuzzTarget target, byte[] input) throws Exception {
    String excess = "";
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      excess = excess(target, input);
      if (excess.isEmpty()) {
        return;
      }
    }
    throw new AssertionError(excess);
  }

  private static String excess(FuzzTarget target, byte[] input) throws Exception {
    long blocks = TensorMemory.openBlocks();
    long heap = THREADS.getCurrentThreadAllocatedBytes();
    long time = THREADS.getCurrentThreadCpuTime();
    target.accept(input);
    long nanos = THREADS.getCurrentThreadCpuTime() - time;
    long bytes = THREADS.getCurrentThreadAllocatedBytes() - heap;
    long leaked = TensorMemory.openBlocks() - blocks;
    if (leaked != 0) {
      throw new AssertionError(leaked + " native blocks are not freed");
    }
    if (bytes > target.freeBytes() + target.bytesPerByte() * input.length) {
      return bytes + " bytes allocated for " + input.length + " bytes";
    }
    return nanos > MOST_NANOS ? nanos / 1_000_000 + " ms for " + input.length + " bytes" : "";
  }
}
