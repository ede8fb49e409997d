package dev.sluice.loadtest.row;

import java.time.Duration;

/**
 * How long everything takes.
 *
 * @param round the length of one round
 * @param processes how many sets of fresh processes each workload is measured with
 * @param rounds how many of each side are counted with each set
 * @param settling requests after which memory must not grow any more
 * @param watching requests during which it must not
 */
public record Settings(Duration round, int processes, int rounds, long settling, long watching) {
  public static final Settings SHORT = new Settings(Duration.ofSeconds(3), 3, 3, 200_000, 600_000);
  public static final Settings FULL =
      new Settings(Duration.ofSeconds(5), 5, 5, 1_000_000, 4_000_000);

  /** The same with rounds of another length. */
  public Settings withRound(Duration length) {
    return new Settings(length, processes, rounds, settling, watching);
  }

  /** The same with another number of processes. */
  public Settings withProcesses(int count) {
    return new Settings(round, count, rounds, settling, watching);
  }

  /** In words. */
  public String text() {
    return "%d fresh processes per side, of each the median of %d rounds of %d s"
        .formatted(processes, rounds, round.toSeconds());
  }
}
