package dev.sluice.boot.warmup;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Says when the Java VM's compilers have done what there is to do, by the time that they spend.
 * Repeated calls keep them busy for some seconds, depending on the cores that there are, and change
 * nothing more afterwards. One thread.
 */
public final class CompilerActivity {
  private static final long WINDOW = Duration.ofMillis(500).toNanos();

  /** Part of a window that compilers which rest spend on what seldom runs. */
  private static final double RESTING = 0.1;

  /** Empty on a Java VM without compilers. */
  private final @Nullable CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();

  private final long end;
  private long windowStart;
  private long spentBefore;

  /**
   * @param most time after which they are taken to rest whatever they do
   */
  public CompilerActivity(Duration most) {
    this.windowStart = System.nanoTime();
    this.end = windowStart + most.toNanos();
    this.spentBefore = spent();
  }

  private long spent() {
    return compilers != null && compilers.isCompilationTimeMonitoringSupported()
        ? compilers.getTotalCompilationTime()
        : 0;
  }

  /** Returns whether they rest. To be asked often. */
  public boolean rest() {
    long now = System.nanoTime();
    if (now - end >= 0) {
      return true;
    }
    long passed = now - windowStart;
    if (passed < WINDOW) {
      return false;
    }
    long spent = spent();
    boolean resting = Duration.ofMillis(spent - spentBefore).toNanos() < RESTING * passed;
    windowStart = now;
    spentBefore = spent;
    return resting;
  }
}
