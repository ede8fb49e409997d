package dev.sluice.boot.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import dev.sluice.inference.BoundedText;
import dev.sluice.inference.control.LogControl.Format;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.slf4j.event.KeyValuePair;

/**
 * Log lines for people: time, level, message, then the facts as {@code key=value}. Always one line,
 * whatever a caller may have sent: a request cannot forge a second one.
 */
public final class TextLayout extends LayoutBase<ILoggingEvent> {
  /** ISO 8601, to the millisecond. */
  public static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** The format of glog and Triton. */
  private static final DateTimeFormatter SHORT_TIME =
      DateTimeFormatter.ofPattern("MMdd HH:mm:ss.SSSSSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final long PROCESS = ProcessHandle.current().pid();

  /** Of all lines of the process, which has one log. */
  private static volatile Format format = Format.ISO8601;

  /** Characters of an event's parts, here and in JSON. */
  static final int LONGEST_MESSAGE = 4_000;

  static final int LONGEST_FACT = 500;
  static final int LONGEST_TRACE = 16_000;

  private static final Pattern LINE_END = Pattern.compile("\\R\\s*");

  /** Ours say what happened; others need their name beside it to be understood. */
  private static final String OURS = "dev.sluice.";

  @Override
  public String doLayout(ILoggingEvent event) {
    var line = new StringBuilder(160);
    begin(event, line);
    if (!event.getLoggerName().startsWith(OURS)) {
      line.append(event.getLoggerName()).append(": ");
    }
    line.append(onOneLine(event.getFormattedMessage(), LONGEST_MESSAGE));
    for (KeyValuePair fact : facts(event)) {
      line.append(' ').append(fact.key).append('=');
      line.append(quoted(onOneLine(String.valueOf(fact.value), LONGEST_FACT)));
    }
    if (event.getThrowableProxy() != null) {
      line.append(" | ");
      line.append(
          onOneLine(ThrowableProxyUtil.asString(event.getThrowableProxy()).strip(), LONGEST_TRACE));
    }
    return line.append('\n').toString();
  }

  /** Returns how lines begin. Any thread. */
  static Format format() {
    return format;
  }

  /** Has lines begin so from now on. Any thread. */
  public static void write(Format wanted) {
    format = wanted;
  }

  private static void begin(ILoggingEvent event, StringBuilder line) {
    String level = event.getLevel().levelStr;
    switch (format) {
      case ISO8601 -> {
        TIME.formatTo(event.getInstant(), line);
        line.append(' ').append(level).repeat(' ', Math.max(1, 6 - level.length()));
      }
      case DEFAULT -> {
        line.append(level.charAt(0));
        SHORT_TIME.formatTo(event.getInstant(), line);
        line.append(' ').append(PROCESS).append(' ').append("sluice] ");
      }
    }
  }

  static List<KeyValuePair> facts(ILoggingEvent event) {
    List<KeyValuePair> facts = event.getKeyValuePairs();
    return facts == null ? List.of() : facts;
  }

  private static String onOneLine(String text, int longest) {
    String cut = BoundedText.cut(text, longest);
    return BoundedText.escape(LINE_END.matcher(cut).replaceAll(" | ").replace('\t', ' '));
  }

  /** Quotes a fact with spaces, which must not look like several. */
  private static String quoted(String fact) {
    return fact.indexOf(' ') < 0 ? fact : '"' + fact.replace("\"", "\\\"") + '"';
  }
}
