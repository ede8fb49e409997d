package dev.sluice.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import dev.sluice.inference.Caller;
import dev.sluice.inference.LogControl;
import dev.sluice.inference.Operation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log's levels, switched while the server runs. What no level is on for is refused by the
 * loggers themselves, which costs nothing; a gap between levels is for a filter.
 */
final class LogSwitches implements LogControl {
  private volatile Levels levels = begin();

  private static Levels begin() {
    Level level = context().getLogger(Logger.ROOT_LOGGER_NAME).getEffectiveLevel();
    int verbose = level.isGreaterOrEqual(Level.INFO) ? 0 : level.equals(Level.DEBUG) ? 1 : 2;
    return new Levels(
        true,
        Level.WARN.isGreaterOrEqual(level),
        Level.INFO.isGreaterOrEqual(level),
        verbose,
        TextLayout.format());
  }

  private static LoggerContext context() {
    return (LoggerContext) LoggerFactory.getILoggerFactory();
  }

  @Override
  public Levels levels() {
    return levels;
  }

  @Override
  public synchronized void setLevels(Levels wanted, Caller caller) {
    caller.require(Operation.LOGGING);
    levels = wanted;
    TextLayout.write(wanted.format());
    Level lowest = lowest(wanted);
    LoggerContext logs = context();
    ch.qos.logback.classic.Logger root = logs.getLogger(Logger.ROOT_LOGGER_NAME);
    root.iteratorForAppenders()
        .forEachRemaining(appender -> {
          appender.clearAllFilters();
          appender.addFilter(new Gaps(wanted));
        });
    root.setLevel(lowest);
    LogSetup.quieten(logs, lowest);
  }

  private static Level lowest(Levels wanted) {
    if (wanted.verbose() > 0) {
      return wanted.verbose() == 1 ? Level.DEBUG : Level.TRACE;
    }
    if (wanted.info()) {
      return Level.INFO;
    }
    if (wanted.warning()) {
      return Level.WARN;
    }
    return wanted.error() ? Level.ERROR : Level.OFF;
  }

  /** Drops events of a level that is off although a lower one is on. */
  private static final class Gaps extends Filter<ILoggingEvent> {
    private final Levels levels;

    Gaps(Levels levels) {
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
}
