package dev.sluice.config.server;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A line of the access log: text, and fields as nginx names them, {@code $name} or {@code ${name}}.
 *
 * @param parts in their order
 */
public record AccessLogPattern(List<Part> parts) {
  private static final Pattern FIELD = Pattern.compile("\\$(?:\\{([^}]*)}|(\\w*))");

  /** A field of the log, by its name in lower case. */
  public enum Field {
    TIME(false),
    CLIENT(false),
    LISTENER(false),
    IDENTITY(false),
    PROTOCOL(false),
    API(false),
    METHOD(false),
    PATH(false),
    MODEL(false),
    VERSION(true),
    STATUS(true),
    RPC_STATUS(true),
    ERROR(false),
    REQUEST_ID(false),
    TRACE_ID(false),
    BYTES_IN(true),
    BYTES_OUT(true),
    BATCH_SIZE(true),
    TOTAL_MS(true),
    RECEIVE_MS(true),
    DECODE_MS(true),
    QUEUE_MS(true),
    RUN_MS(true),
    ENCODE_MS(true),
    SEND_MS(true);

    private final String text = name().toLowerCase(Locale.ROOT);
    private final boolean number;

    Field(boolean number) {
      this.number = number;
    }

    /** Returns its name in lines and patterns. */
    public String text() {
      return text;
    }

    /** Returns whether it is a number, which JSON writes without quotes. */
    public boolean isNumber() {
      return number;
    }
  }

  /**
   * A text, and the field behind it.
   *
   * @param field empty behind the last text
   */
  public record Part(String text, Optional<Field> field) {}

  public AccessLogPattern {
    parts = List.copyOf(parts);
  }

  /**
   * Reads a pattern.
   *
   * @throws IllegalArgumentException if it names a field that there is not, or more than one line
   */
  public static AccessLogPattern parse(String pattern) {
    if (pattern.lines().count() != 1) {
      throw new IllegalArgumentException("has " + pattern.lines().count() + " lines; wanted one");
    }
    List<Part> parts = new ArrayList<>();
    Matcher fields = FIELD.matcher(pattern);
    int end = 0;
    while (fields.find()) {
      String name = fields.group(1) == null ? fields.group(2) : fields.group(1);
      parts.add(new Part(pattern.substring(end, fields.start()), Optional.of(field(name))));
      end = fields.end();
    }
    parts.add(new Part(pattern.substring(end), Optional.empty()));
    return new AccessLogPattern(parts);
  }

  private static Field field(String name) {
    return Arrays.stream(Field.values())
        .filter(field -> field.text.equals(name))
        .findAny()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "names the field '"
                    + name
                    + "'; wanted one of "
                    + Arrays.stream(Field.values())
                        .map(Field::text)
                        .collect(Collectors.joining(", "))));
  }
}
