package dev.sluice.inference;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The times of an ensemble's request: added up over the runs of its composing models, some of them
 * side by side. Nanoseconds. Any thread.
 */
public final class ComposingModelTimes {
  /**
   * The time in which at least one of several runs was under way: they may be side by side. What is
   * kept for that is bounded, however many there are. Nanoseconds. Any thread.
   */
  public static final class BusyTime {
    /** Intervals that further runs may still overlap: runs are added as they end. */
    private static final int MOST = 64;

    private static final int FIRST = 4;

    // In their order, without overlaps.
    @GuardedBy("this")
    private long[] begins = new long[FIRST];

    @GuardedBy("this")
    private long[] ends = new long[FIRST];

    @GuardedBy("this")
    private int count;

    @GuardedBy("this")
    private long sum;

    @GuardedBy("this")
    private long lastEnd;

    @GuardedBy("this")
    private boolean used;

    /** Runs that are under way; of the first of them, when it was queued and when it began. */
    @GuardedBy("this")
    private int underWay;

    @GuardedBy("this")
    private long queuedSince;

    @GuardedBy("this")
    private long runningSince;

    /** A run begins, to be followed by {@link #add} or {@link #forget}. */
    private synchronized void began(long queued, long now) {
      if (underWay++ == 0) {
        queuedSince = queued;
        runningSince = now;
      }
    }

    @GuardedBy("this")
    private void forget() {
      underWay = Math.max(0, underWay - 1);
    }

    private synchronized void forgotten() {
      forget();
    }

    /** Returns how long the run under way has waited; 0 if there is none. */
    private synchronized long waited() {
      return underWay == 0 ? 0 : runningSince - queuedSince;
    }

    /** Returns how long the run under way has run; 0 if there is none. */
    private synchronized long running(long now) {
      return underWay == 0 ? 0 : now - runningSince;
    }

    /** Adds a run. */
    private synchronized void add(long begun, long ended) {
      forget();
      lastEnd = used && lastEnd - ended > 0 ? lastEnd : ended;
      used = true;
      int behind = count;
      while (behind > 0 && begins[behind - 1] - ended > 0) {
        behind--;
      }
      long from = begun;
      long to = ended;
      int first = behind;
      while (first > 0 && ends[first - 1] - from >= 0) {
        first--;
        sum -= ends[first] - begins[first];
        from = begins[first] - from < 0 ? begins[first] : from;
        to = ends[first] - to > 0 ? ends[first] : to;
      }
      sum += to - from;
      replace(first, behind, from, to);
    }

    /** Puts one interval in the place of those from one index to another. */
    @GuardedBy("this")
    private void replace(int first, int behind, long from, long to) {
      if (first == behind && count == MOST) {
        // The earliest counts, but what overlaps it from now on counts twice.
        if (first > 0) {
          move(1, 0);
          replace(first - 1, behind - 1, from, to);
        }
        return;
      }
      if (first == behind && count == begins.length) {
        begins = Arrays.copyOf(begins, 2 * count);
        ends = Arrays.copyOf(ends, 2 * count);
      }
      move(behind, first + 1);
      begins[first] = from;
      ends[first] = to;
    }

    /** Moves the intervals from an index on to another index. */
    @GuardedBy("this")
    private void move(int from, int to) {
      System.arraycopy(begins, from, begins, to, count - from);
      System.arraycopy(ends, from, ends, to, count - from);
      count += to - from;
    }

    /** Returns whether there was any run, or is one under way. */
    public synchronized boolean isUsed() {
      return used || underWay > 0;
    }

    /** Returns the time of all runs, of those under way until now. */
    public synchronized long nanos(long now) {
      if (underWay == 0) {
        return sum;
      }
      long nanos = sum + now - runningSince;
      for (int i = 0; i < count; i++) {
        nanos -= Math.max(0, ends[i] - Math.max(begins[i], runningSince));
      }
      return nanos;
    }

    /** Returns when the last run ended; now if one is under way. */
    public synchronized long lastEnd(long now) {
      return underWay > 0 ? now : lastEnd;
    }
  }

  private final BusyTime busy;

  @GuardedBy("this")
  private long queue;

  @GuardedBy("this")
  private long input;

  @GuardedBy("this")
  private long infer;

  @GuardedBy("this")
  private long output;

  @GuardedBy("this")
  private long batchSize;

  /** The times of a request. */
  public ComposingModelTimes() {
    this(new BusyTime());
  }

  private ComposingModelTimes(BusyTime busy) {
    this.busy = busy;
  }

  /**
   * Returns those of the runs of a composed request. Its {@link #busy} time is the request's too;
   * the others are added to it at the end, by {@link #add(ComposingModelTimes)}.
   *
   * @param outer the request's own; null if they are not recorded
   */
  public static ComposingModelTimes within(@Nullable ComposingModelTimes outer) {
    return outer == null ? new ComposingModelTimes() : new ComposingModelTimes(outer.busy);
  }

  /**
   * Records that a run begins: what ends before it counts it until then. To be followed by {@link
   * #add} or {@link #runForgotten}.
   *
   * @param queued when it began to wait
   */
  void runBegan(long queued, long now) {
    busy.began(queued, now);
  }

  /** Forgets a run that {@link #runBegan}. */
  void runForgotten() {
    busy.forgotten();
  }

  /** Returns the sum of queue times, that of the run under way among them, in nanoseconds. */
  public long waited() {
    return queue() + busy.waited();
  }

  /** Returns the sum of the times of runs, of the one under way until now, in nanoseconds. */
  public long ran(long now) {
    return input() + infer() + output() + busy.running(now);
  }

  /**
   * Adds one run more.
   *
   * @param queued when it began to wait
   * @param begun when a worker took it
   * @param computing when its inputs were put together
   * @param computed when the model was done
   * @param ended when its outputs were there
   */
  public void add(long queued, long begun, long computing, long computed, long ended) {
    busy.add(begun, ended);
    sum(begun - queued, computing - begun, computed - computing, ended - computed);
  }

  private synchronized void sum(long queueNanos, long inputNanos, long inferNanos, long outNanos) {
    queue += queueNanos;
    input += inputNanos;
    infer += inferNanos;
    output += outNanos;
  }

  /** Adds all runs of a request that was composed itself. */
  public void add(ComposingModelTimes other) {
    joined(other.batchSize());
    sum(other.queue(), other.input(), other.infer(), other.output());
  }

  /** Returns the time in which at least one run was under way. */
  public BusyTime busy() {
    return busy;
  }

  /**
   * Records how large a run was.
   *
   * @param size inferences of all requests that were joined in it
   */
  public synchronized void joined(long size) {
    batchSize = Math.max(batchSize, size);
  }

  /** Returns the size of the largest run; 0 if there was none. */
  public synchronized long batchSize() {
    return batchSize;
  }

  /** Returns the sum of queue times in nanoseconds. */
  public synchronized long queue() {
    return queue;
  }

  /** Returns the sum of the times that preparing inputs took, in nanoseconds. */
  public synchronized long input() {
    return input;
  }

  /** Returns the sum of the times that the models ran, in nanoseconds. */
  public synchronized long infer() {
    return infer;
  }

  /** Returns the sum of the times that extracting outputs took, in nanoseconds. */
  public synchronized long output() {
    return output;
  }
}
