package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Measurement;
import java.time.Duration;

/**
 * The rounds of one side that do not count. They go on until the side is not getting faster and the
 * compiler threads of its server have little left to do, or for a minute.
 */
final class WarmUp {
  /** Compilers that take no more of a core than this blur nothing. */
  static final double COMPILING = 0.05;

  /** So many rounds after one another were not faster than those before, */
  private static final int STEADY_ROUNDS = 2;

  /** by this much at least. */
  private static final double FASTER = 1.03;

  private static final long LIMIT_NANOS = Duration.ofMinutes(1).toNanos();

  private final long begun = System.nanoTime();
  private double best;
  private int steady;
  private int rounds;
  private Measurement last = Measurement.NONE;

  void add(Measurement round) {
    steady = round.rate() > best * FASTER ? 0 : steady + 1;
    best = Math.max(best, round.rate());
    last = round;
    rounds++;
  }

  boolean isOver() {
    return rounds > 0 && (isSteady() || System.nanoTime() - begun > LIMIT_NANOS);
  }

  /** Whether the rounds ended because nothing changed any more, and not at the limit. */
  boolean isSteady() {
    return steady >= STEADY_ROUNDS && isCompiled(last);
  }

  int rounds() {
    return rounds;
  }

  Measurement last() {
    return last;
  }

  /** Whether the server's compilers rested; true where nothing watched them. */
  static boolean isCompiled(Measurement round) {
    return !(round.compiling() > COMPILING);
  }
}
