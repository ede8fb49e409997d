package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import java.time.Duration;

/**
 * Isolation: whether the native sessions of a model have processes of their own.
 *
 * @param mode process that runs the model: the server's own, or one for each session, whose crash
 *     ends no other model
 * @param memory memory that the native code of such a process may allocate; 0: unlimited
 * @param killAfter time after which a run that no caller waits for any more, and that does not end
 *     when it is interrupted, is ended with its process; 0s: never
 */
public record IsolationConfig(Mode mode, long memory, Duration killAfter) {
  /** The process that runs a model. */
  public enum Mode {
    /** The server's own. */
    NONE,
    /** One for each session. */
    PROCESS
  }

  public static final IsolationConfig DEFAULT =
      new IsolationConfig(Mode.NONE, 0, Duration.ofSeconds(10));

  private static final long LARGEST_MEMORY = 1L << 44;

  /** Reads the keys of a table that has others too: a runtime's, or a model's own. */
  static IsolationConfig read(Section section, IsolationConfig defaults) {
    return new IsolationConfig(
        section.choice("isolation", defaults.mode),
        section.size("isolation_memory", defaults.memory, 0, LARGEST_MEMORY),
        section.duration("isolation_kill_after", defaults.killAfter));
  }
}
