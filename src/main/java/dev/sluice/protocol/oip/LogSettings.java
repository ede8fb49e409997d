package dev.sluice.protocol.oip;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.control.LogControl;
import dev.sluice.inference.control.LogControl.Format;
import dev.sluice.inference.control.LogControl.Levels;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The log settings extension (src/docs/reference/protocols/open-inference.md): settings by their
 * names there. The format is that of the beginning of a line of text; lines of JSON have one form.
 */
public final class LogSettings {
  /** What fits the field of gRPC's answer. */
  private static final long LARGEST_LEVEL = 0xFFFF_FFFFL;

  private final Map<String, ParameterValue> changes = new LinkedHashMap<>();

  /**
   * Takes one change.
   *
   * @throws InferenceException INVALID_ARGUMENT if there is no such setting, or its value is of a
   *     wrong type; UNIMPLEMENTED if it cannot be changed
   */
  public void put(String name, ParameterValue value) {
    switch (name) {
      case "log_info", "log_warning", "log_error" -> requireFlag(name, value);
      case "log_verbose_level" -> requireLevel(name, value);
      case "log_format" -> requireFormat(value);
      case "log_file" ->
          throw new InferenceException(
              ErrorCode.UNIMPLEMENTED,
              "log file location can not be updated through network protocol");
      default ->
          throw InferenceException.invalid(
              "unknown log setting '"
                  + Excerpt.of(name)
                  + "', wanted one of log_info, log_warning, log_error, log_verbose_level,"
                  + " log_format");
    }
    changes.put(name, value);
  }

  private static void requireFlag(String name, ParameterValue value) {
    if (!(value instanceof ParameterValue.Flag)) {
      throw InferenceException.invalid(
          "log setting '" + name + "' expects a boolean, got " + shown(value));
    }
  }

  private static void requireLevel(String name, ParameterValue value) {
    if (!(value instanceof ParameterValue.Whole(long level, _)) || level < 0) {
      throw InferenceException.invalid(
          "log setting '" + name + "' expects an unsigned integer, got " + shown(value));
    }
    if (level > LARGEST_LEVEL) {
      throw InferenceException.invalid(
          "log setting '" + name + "' is " + level + ", wanted at most " + LARGEST_LEVEL);
    }
  }

  private static void requireFormat(ParameterValue value) {
    if (!(value instanceof ParameterValue.Text(String format)) || Format.of(format).isEmpty()) {
      throw InferenceException.invalid(
          "log setting 'log_format' expects 'default' or 'ISO8601', got " + shown(value));
    }
  }

  private static String shown(ParameterValue value) {
    return switch (value) {
      case ParameterValue.Flag(boolean set) -> Boolean.toString(set);
      case ParameterValue.Whole(long number, _) -> Long.toString(number);
      case ParameterValue.Fraction(double number) -> Double.toString(number);
      case ParameterValue.Text(String text) -> "'" + Excerpt.of(text) + "'";
    };
  }

  /**
   * Makes the changes, if there are any.
   *
   * @throws InferenceException with PERMISSION_DENIED if the caller may not
   */
  public void apply(LogControl logs, Caller caller) {
    if (!changes.isEmpty()) {
      Levels now = logs.levels();
      logs.setLevels(
          new Levels(
              flag("log_error", now.error()),
              flag("log_warning", now.warning()),
              flag("log_info", now.info()),
              changes.get("log_verbose_level") instanceof ParameterValue.Whole(long level, _)
                  ? level
                  : now.verbose(),
              changes.get("log_format") instanceof ParameterValue.Text(String name)
                  ? Format.of(name).orElse(now.format())
                  : now.format()),
          caller);
    }
  }

  private boolean flag(String name, boolean otherwise) {
    return changes.get(name) instanceof ParameterValue.Flag(boolean set) ? set : otherwise;
  }

  /** Returns all settings as they are, in their order. */
  public static Map<String, ParameterValue> of(LogControl logs) {
    Levels levels = logs.levels();
    Map<String, ParameterValue> settings = new LinkedHashMap<>();
    settings.put("log_file", new ParameterValue.Text(logs.file()));
    settings.put("log_info", new ParameterValue.Flag(levels.info()));
    settings.put("log_warning", new ParameterValue.Flag(levels.warning()));
    settings.put("log_error", new ParameterValue.Flag(levels.error()));
    settings.put("log_verbose_level", new ParameterValue.Whole(levels.verbose(), true));
    settings.put("log_format", new ParameterValue.Text(levels.format().text()));
    return settings;
  }
}
