package dev.sluice.runtime.isolation;

import dev.sluice.inference.ModelId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what the process of a model prints, line by line and in bounds: native libraries, and the
 * Java VM when it crashes. Runs on a thread of its own, as long as the process does.
 */
final class ProcessLog implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessLog.class);

  /** Lines in a period; more are only counted. */
  private static final int MOST_LINES = 50;

  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int LONGEST_LINE = 1000;

  /** The line that the Java VM prints for a signal that native code has caused. */
  private static final Pattern CRASH = Pattern.compile("#\\s+(SIG[A-Z]+) \\(.*");

  /** Lines that TensorFlow writes before its library knows its log level: no warnings or errors. */
  private static final Pattern CHATTER =
      Pattern.compile("I\\d{4} |WARNING: All log messages before absl");

  private final ModelId model;
  private final long pid;
  private final InputStream printed;
  private long periodBegun = System.nanoTime();
  private int lines;
  private long leftOut;
  private volatile String crash = "";

  ProcessLog(ModelId model, long pid, InputStream printed) {
    this.model = model;
    this.pid = pid;
    this.printed = printed;
  }

  /**
   * Returns the signal that the Java VM has said to have crashed with, such as SIGSEGV; empty if
   * none.
   */
  String crash() {
    return crash;
  }

  @Override
  public void run() {
    try (var reader = new BufferedReader(new InputStreamReader(printed, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        take(line);
      }
    } catch (IOException e) {
      LOG.debug("the process of {} prints nothing more", model, e);
    }
  }

  private void take(String line) {
    Matcher signal = CRASH.matcher(line);
    if (signal.matches()) {
      crash = signal.group(1);
    }
    long now = System.nanoTime();
    if (now - periodBegun > PERIOD_NANOS) {
      periodBegun = now;
      lines = 0;
      if (leftOut > 0) {
        log(leftOut + " lines were left out");
        leftOut = 0;
      }
    }
    if (line.isBlank() || line.equals("#")) {
      return;
    }
    if (CHATTER.matcher(line).lookingAt()) {
      LOG.atDebug().addKeyValue("model", model).addKeyValue("pid", pid).log(line);
      return;
    }
    if (lines++ < MOST_LINES) {
      log(line.length() > LONGEST_LINE ? line.substring(0, LONGEST_LINE) : line);
    } else {
      leftOut++;
    }
  }

  private void log(String line) {
    LOG.atWarn().addKeyValue("model", model).addKeyValue("pid", pid).log(line);
  }
}
