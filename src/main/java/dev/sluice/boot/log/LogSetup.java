package dev.sluice.boot.log;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.server.LogConfig;
import dev.sluice.inference.control.LogControl;
import dev.sluice.inference.control.LogControl.Levels;
import dev.sluice.inference.health.OutOfMemory;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Sends all logs, those of Vert.x and Netty too, to the standard error or a file, one line for each
 * event. Logback finds this class by itself and begins with the defaults, unless an operator has a
 * configuration of their own: that one counts, and the settings {@code log.*} do not.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {
  private static final String HTTP2_DECODER =
      "io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder";

  /**
   * Loggers that say nothing but this: as an error, what is wrong with the bytes of a client whose
   * connection is so new that it has no handler for that yet; as a warning, that a connection to
   * another server, such as a collector, ended before that server had said anything. The caller
   * that wanted it learns that by its call.
   */
  private static final List<String> UNHANDLED_CONNECTIONS =
      List.of(
          "io.vertx.core.net.impl.ConnectionBase", "io.vertx.core.http.impl.HttpClientConnection");

  private static final int QUEUED_EVENTS = 4096;

  /** Longest wait for the last lines of native code. */
  private static final Duration LAST_LINES = Duration.ofMillis(500);

  private static volatile boolean wholeProcess;
  private static volatile LogConfig configured = LogConfig.DEFAULT;
  private static volatile @Nullable StandardError taken;

  @Override
  public ExecutionStatus configure(LoggerContext logs) {
    if (LogbackFile.name().isPresent()) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    configure(logs, LogConfig.DEFAULT);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /**
   * Reads settings, logs the way they say from then on, and then logs what looked like a mistake in
   * them.
   */
  public static SluiceConfig whileReadingSettings(Function<Consumer<String>, SluiceConfig> reader) {
    List<String> warnings = new ArrayList<>();
    SluiceConfig config = reader.apply(warnings::add);
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logs) {
      LogbackFile.name()
          .ifPresentOrElse(
              file -> complete(logs, file, config.observability().log(), warnings::add),
              () -> {
                logs.reset();
                configure(logs, config.observability().log());
              });
    }
    warnings.forEach(LoggerFactory.getLogger(LogSetup.class)::warn);
    return config;
  }

  /** Adds to an operator's configuration what the server needs whatever is logged and where. */
  private static void complete(
      LoggerContext logs, String file, LogConfig ignored, Consumer<String> warn) {
    LogbackFile.require(file);
    if (!ignored.equals(LogConfig.DEFAULT)) {
      warn.accept("the settings log.* have no effect: " + file + " configures the log");
    }
    for (String name : UNHANDLED_CONNECTIONS) {
      Logger connections = logs.getLogger(name);
      if (connections.getLevel() == null) {
        connections.setLevel(Level.OFF);
      }
    }
    logs.addTurboFilter(new OutOfMemoryFilter());
  }

  /** Returns the standard error that the log itself writes to. Any thread. */
  static OutputStream standardError() {
    StandardError own = taken;
    return own == null ? System.err : own;
  }

  /** Returns the settings that the process logs by. Any thread. */
  static LogConfig configured() {
    return configured;
  }

  /** Returns what is written at a level of the root, by the settings. */
  static Levels levels(Level root) {
    Set<LogConfig.Suppressible> suppressed = configured.suppressed();
    int verbose = root.isGreaterOrEqual(Level.INFO) ? 0 : root.equals(Level.DEBUG) ? 1 : 2;
    return new Levels(
        !suppressed.contains(LogConfig.Suppressible.ERROR),
        Level.WARN.isGreaterOrEqual(root) && !suppressed.contains(LogConfig.Suppressible.WARN),
        Level.INFO.isGreaterOrEqual(root) && !suppressed.contains(LogConfig.Suppressible.INFO),
        verbose,
        TextLayout.format());
  }

  private static void configure(LoggerContext logs, LogConfig config) {
    configured = config;
    TextLayout.write(
        switch (config.lineStart()) {
          case ISO8601 -> LogControl.Format.ISO8601;
          case GLOG -> LogControl.Format.DEFAULT;
        });
    OutputStreamAppender<ILoggingEvent> target =
        config.file().map(LogSetup::file).orElseGet(() -> console(config.format()));
    target.setContext(logs);
    target.setEncoder(encoder(logs, layout(config.format())));
    target.start();
    Logger root = logs.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.valueOf(config.level().name()));
    AsyncAppender appender = withoutWaiting(logs, target);
    if (!config.suppressed().isEmpty()) {
      appender.addFilter(new LevelFilter(levels(root.getLevel())));
    }
    root.addAppender(appender);
    quieten(logs, root.getLevel());
    logs.addTurboFilter(new OutOfMemoryFilter());
  }

  private static OutputStreamAppender<ILoggingEvent> console(LogConfig.Format format) {
    if (format == LogConfig.Format.JSON && wholeProcess) {
      takeStandardError();
    }
    if (taken != null) {
      var appender = new OutputStreamAppender<ILoggingEvent>();
      appender.setOutputStream(taken);
      return appender;
    }
    var console = new ConsoleAppender<ILoggingEvent>();
    console.setTarget(ConsoleTarget.SystemErr.getName());
    return console;
  }

  /** Configures what only the whole process may, not an embedded server: the log of native code. */
  public static void forWholeProcess() {
    wholeProcess = true;
  }

  private static synchronized void takeStandardError() {
    if (taken == null) {
      try {
        taken = StandardError.take(new NativeStderrLog());
        OutOfMemory.writeLastLineBy(LogSetup::writeLastLine);
      } catch (IOException e) {
        System.err.println("{\"level\":\"WARN\",\"message\":\"native lines are no JSON\"}");
      }
    }
  }

  /** Without the queue, whose thread may not run any more. */
  private static void writeLastLine(String text) throws IOException {
    var event = new LoggingEvent();
    event.setInstant(Instant.now());
    event.setLevel(Level.ERROR);
    event.setLoggerName(OutOfMemory.class.getName());
    event.setMessage(text);
    Objects.requireNonNull(taken)
        .write(new JsonLayout().doLayout(event).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Appends to a file.
   *
   * @throws ConfigException if it cannot be written to
   */
  private static OutputStreamAppender<ILoggingEvent> file(Path path) {
    try {
      Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND).close();
    } catch (IOException e) {
      throw new ConfigException("log.file is " + path + ", which cannot be written to: " + e);
    }
    var file = new FileAppender<ILoggingEvent>();
    file.setFile(path.toString());
    return file;
  }

  /**
   * Event loops log, and the reader of the standard error may be slow: what does not fit into the
   * queue is dropped, and no thread blocks.
   */
  private static AsyncAppender withoutWaiting(
      LoggerContext logs, OutputStreamAppender<ILoggingEvent> target) {
    var async = new AsyncAppender();
    async.setContext(logs);
    async.setQueueSize(QUEUED_EVENTS);
    async.setDiscardingThreshold(0);
    async.setNeverBlock(true);
    async.addAppender(target);
    async.start();
    return async;
  }

  /** Writes what is still queued. Nothing is logged any more. */
  public static void finish() {
    StandardError own = taken;
    if (own != null) {
      own.giveBack(LAST_LINES);
    }
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logs) {
      logs.stop();
    }
  }

  /** Raises the level of library loggers that are of use only to their own developers. */
  static void quieten(LoggerContext logs, Level level) {
    Level libraries = level.equals(Level.DEBUG) ? Level.INFO : null;
    logs.getLogger("io.netty").setLevel(libraries);
    // A line for each DATA frame that comes for a stream that was reset.
    logs.getLogger(HTTP2_DECODER).setLevel(Level.WARN);
    logs.getLogger("io.vertx").setLevel(libraries);
    UNHANDLED_CONNECTIONS.forEach(name -> logs.getLogger(name).setLevel(Level.OFF));
  }

  private static Layout<ILoggingEvent> layout(LogConfig.Format format) {
    return switch (format) {
      case TEXT -> new TextLayout();
      case JSON -> new JsonLayout();
    };
  }

  private static LayoutWrappingEncoder<ILoggingEvent> encoder(
      LoggerContext logs, Layout<ILoggingEvent> layout) {
    layout.setContext(logs);
    layout.start();
    var encoder = new LayoutWrappingEncoder<ILoggingEvent>();
    encoder.setContext(logs);
    encoder.setCharset(StandardCharsets.UTF_8);
    encoder.setLayout(layout);
    encoder.start();
    return encoder;
  }
}
