package dev.sluice.config.compat.triton;

import com.google.protobuf.TextFormat;
import com.google.protobuf.TextFormat.ParseException;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.compat.triton.proto.ModelConfig;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a Triton model configuration in protobuf's text form: a {@code config.pbtxt}. */
final class TritonText {
  private static final Pattern UNKNOWN_FIELD = Pattern.compile("(\\d+):\\d+:\\t\\S*?([^.\\s]+)$");
  private static final int LONGEST_LINE = 80;

  private TritonText() {}

  /**
   * Returns the message that a text stands for.
   *
   * @param file its name, for texts
   * @param ignored takes the fields that no configuration has, with their lines
   * @throws ConfigException with the line that is wrong
   */
  static ModelConfig read(String file, String text, Set<String> ignored) {
    var model = ModelConfig.newBuilder();
    try {
      TextFormat.Parser.newBuilder()
          .setRecursionLimit(TritonJson.DEEPEST)
          .build()
          .merge(text, model);
    } catch (ParseException e) {
      if (!readUnknown(e, ignored)) {
        throw error(file, text, e);
      }
    }
    return model.build();
  }

  /**
   * Reads unknown fields out of the parser's complaint, which comes when all others are read: a
   * line for each, behind a first one.
   */
  private static boolean readUnknown(ParseException failure, Set<String> ignored) {
    boolean found = false;
    for (String line : String.valueOf(failure.getMessage()).lines().skip(1).toList()) {
      Matcher field = UNKNOWN_FIELD.matcher(line);
      if (field.find()) {
        ignored.add(field.group(2) + " (line " + field.group(1) + ")");
        found = true;
      }
    }
    return found;
  }

  private static ConfigException error(String file, String text, ParseException failure) {
    int line = failure.getLine();
    String place = line + ":" + failure.getColumn() + ": ";
    String what = String.valueOf(failure.getMessage());
    String shown = text.lines().skip(Math.max(0, line - 1)).findFirst().orElse("").strip();
    return new ConfigException(
        "%s: line %d: %s in: %s"
            .formatted(
                file,
                line,
                (what.startsWith(place) ? what.substring(place.length()) : what)
                    .replaceFirst("\\.$", ""),
                shown.length() > LONGEST_LINE ? shown.substring(0, LONGEST_LINE) + "…" : shown));
  }
}
