package dev.sluice.boot;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.slf4j.event.KeyValuePair;

/**
 * Log lines for people: time, level, message, then the facts as {@code key=value}. Always one line,
 * whatever a caller may have sent: a request cannot forge a second one.
 */
final class TextLayout extends LayoutBase<ILoggingEvent> {
  static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** Ours say what happened; others need their name beside it to be understood. */
  private static final String OURS = "dev.sluice.";

  @Override
  public String doLayout(ILoggingEvent event) {
    var line = new StringBuilder(160);
    TIME.formatTo(event.getInstant(), line);
    line.append(' ').append(event.getLevel().levelStr);
    line.repeat(' ', Math.max(1, 6 - event.getLevel().levelStr.length()));
    if (!event.getLoggerName().startsWith(OURS)) {
      line.append(event.getLoggerName()).append(": ");
    }
    appendOnOneLine(line, event.getFormattedMessage());
    for (KeyValuePair fact : facts(event)) {
      line.append(' ').append(fact.key).append('=');
      appendOnOneLine(line, String.valueOf(fact.value));
    }
    if (event.getThrowableProxy() != null) {
      line.append(" | ");
      appendOnOneLine(line, ThrowableProxyUtil.asString(event.getThrowableProxy()).strip());
    }
    return line.append('\n').toString();
  }

  static List<KeyValuePair> facts(ILoggingEvent event) {
    List<KeyValuePair> facts = event.getKeyValuePairs();
    return facts == null ? List.of() : facts;
  }

  private static void appendOnOneLine(StringBuilder line, String text) {
    String flat = text.replaceAll("\\R\\s*", " | ");
    flat.chars().forEach(c -> line.append(Character.isISOControl(c) ? ' ' : (char) c));
  }
}
