package dev.sluice.boot.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import dev.sluice.inference.control.LogControl.Levels;

/**
 * Drops log events of a level that is off although a lower one is on. Any thread.
 *
 * <p>Triton switches each level by itself, where Logback knows only a threshold; this is what makes
 * up the difference.
 */
final class LevelFilter extends Filter<ILoggingEvent> {
  private final Levels levels;

  LevelFilter(Levels levels) {
    this.levels = levels;
  }

  @Override
  public FilterReply decide(ILoggingEvent event) {
    boolean on =
        switch (event.getLevel().toInt()) {
          case Level.ERROR_INT -> levels.error();
          case Level.WARN_INT -> levels.warning();
          case Level.INFO_INT -> levels.info();
          default -> true;
        };
    return on ? FilterReply.NEUTRAL : FilterReply.DENY;
  }
}
