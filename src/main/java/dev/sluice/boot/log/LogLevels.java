package dev.sluice.boot.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.LogControl;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log's levels, switched while the server runs. What no level is on for is refused by the
 * loggers themselves, which costs nothing; a gap between levels is for a filter.
 */
public final class LogLevels implements LogControl {
  private volatile Levels levels =
      LogSetup.levels(context().getLogger(Logger.ROOT_LOGGER_NAME).getEffectiveLevel());

  private static LoggerContext context() {
    return (LoggerContext) LoggerFactory.getILoggerFactory();
  }

  @Override
  public Levels levels() {
    return levels;
  }

  @Override
  public String file() {
    return LogSetup.configured().file().map(Path::toString).orElse("");
  }

  @Override
  public synchronized void setLevels(Levels wanted, Caller caller) {
    caller.require(Operation.LOGGING);
    levels = wanted;
    TextLayout.write(wanted.format());
    Level lowest = lowest(wanted);
    LoggerContext logs = context();
    ch.qos.logback.classic.Logger root = logs.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(lowest);
    if (LogbackFile.name().isEmpty()) {
      root.iteratorForAppenders()
          .forEachRemaining(appender -> {
            appender.clearAllFilters();
            appender.addFilter(new LevelFilter(wanted));
          });
      LogSetup.quieten(logs, lowest);
    }
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
}
