package dev.sluice.boot.accesslog;

import dev.sluice.boot.log.LineFormat;
import dev.sluice.config.server.AccessLogPattern;
import dev.sluice.config.server.AccessLogPattern.Field;
import dev.sluice.telemetry.access.AccessEntry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Lines by a pattern. A field that a call does not have is {@code -}. Spaces, quotes, backslashes
 * and line ends of a value are written as {@code \x20} and so on, as nginx does it, so that no
 * client can forge a field or a line. For one thread.
 */
final class PatternAccessLines implements LineFormat<AccessEntry> {
  private static final String NONE = "-";

  private final AccessLogPattern pattern;
  private final StringBuilder line = new StringBuilder();

  PatternAccessLines(AccessLogPattern pattern) {
    this.pattern = pattern;
  }

  @Override
  public void append(AccessEntry entry, ByteArrayOutputStream lines) throws IOException {
    line.setLength(0);
    for (AccessLogPattern.Part part : pattern.parts()) {
      line.append(part.text());
      part.field().ifPresent(field -> append(entry, field));
    }
    lines.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
  }

  private void append(AccessEntry entry, Field field) {
    String value = AccessFields.of(entry, field);
    if (value == null) {
      line.append(NONE);
      return;
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c <= ' ' || c == '"' || c == '\\') {
        line.append(String.format(Locale.ROOT, "\\x%02X", (int) c));
      } else {
        line.append(c);
      }
    }
  }
}
