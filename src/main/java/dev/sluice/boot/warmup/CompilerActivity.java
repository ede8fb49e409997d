package dev.sluice.boot.warmup;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Says what the Java VM's compilers do, by the processor time of their threads. Repeated calls keep
 * them busy for some seconds, depending on the cores that there are, and change nothing more
 * afterwards. The compilation time that the Java VM reports has a compilation only when it has
 * ended, so that a long one on a busy core looks like rest. One thread.
 */
public final class CompilerActivity {
  private static final long TICK = Duration.ofMillis(10).toNanos();

  /** Fields of a thread's {@code stat} behind its name: time in user mode, and in the kernel. */
  private static final int USER = 11;

  private static final int SYSTEM = 12;

  /** Part of one core that compilers which rest spend on what seldom runs. */
  private static final double RESTING = 0.1;

  /** Part of one core from which on they are in want of it. */
  private static final double BUSY = 0.5;

  private final Window rest = new Window(Duration.ofMillis(500));
  private final Window work = new Window(Duration.ofMillis(100));
  private final long end;

  /**
   * @param most time after which they are taken to rest whatever they do
   */
  public CompilerActivity(Duration most) {
    this.end = System.nanoTime() + most.toNanos();
  }

  /** Returns whether they rest. To be asked often. */
  public boolean rest() {
    return isOver() || rest.share(1) < RESTING;
  }

  /**
   * Returns whether they are in want of a core: on few of them, calls that are answered meanwhile
   * would only take from the compilers what they need.
   */
  public boolean areBusy() {
    return !isOver() && work.share(0) > BUSY;
  }

  private boolean isOver() {
    return System.nanoTime() - end >= 0;
  }

  /** Their processor time in a window of time, in parts of one core. */
  private static final class Window {
    private final long nanos;
    private long start = System.nanoTime();
    private long spentBefore = spent();
    private double share = -1;

    Window(Duration length) {
      this.nanos = length.toNanos();
    }

    /**
     * Returns the share in the last window.
     *
     * @param unknown what is returned until the first one is over
     */
    double share(double unknown) {
      long passed = System.nanoTime() - start;
      if (passed >= nanos) {
        long spent = spent();
        share = (double) (spent - spentBefore) / passed;
        spentBefore = spent;
        start += passed;
      }
      return share < 0 ? unknown : share;
    }
  }

  private static long spent() {
    return CompilerThreads.all().stream().mapToLong(CompilerActivity::ticks).sum() * TICK;
  }

  private static long ticks(Path thread) {
    String stat = CompilerThreads.read(thread.resolve("stat"));
    if (stat.isEmpty()) {
      return 0; // It has ended.
    }
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return Long.parseLong(fields[USER]) + Long.parseLong(fields[SYSTEM]);
  }
}
