package dev.sluice.boot.compat;

import dev.sluice.config.binding.SettingOverride;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Translates Triton's trace flags. Each setting has a flag, and {@code --trace-config}, which came
 * later and has the word, has them all: {@code [MODE,]NAME=VALUE}.
 */
final class TritonTraces {
  private final Consumer<String> warnings;
  private final List<SettingOverride> overrides = new ArrayList<>();
  private boolean off;
  private boolean timestamps;
  private boolean tensors;

  private TritonTraces(Consumer<String> warnings) {
    this.warnings = warnings;
  }

  /**
   * Returns the settings that the flags stand for.
   *
   * @param warnings get what has no meaning here
   */
  static List<SettingOverride> of(CompatFlags<TritonFlag> flags, Consumer<String> warnings) {
    var traces = new TritonTraces(warnings);
    flags.all(TritonFlag.TRACE_LEVEL).forEach(level -> traces.level(TritonFlag.TRACE_LEVEL, level));
    traces.last(flags, TritonFlag.TRACE_RATE, "rate");
    traces.last(flags, TritonFlag.TRACE_COUNT, "count");
    traces.last(flags, TritonFlag.TRACE_LOG_FREQUENCY, "log_frequency");
    traces.last(flags, TritonFlag.TRACE_FILE, "file");
    flags.all(TritonFlag.TRACE_CONFIG).forEach(traces::config);
    traces.levels();
    return traces.overrides;
  }

  private void last(CompatFlags<TritonFlag> flags, TritonFlag flag, String key) {
    flags.text(flag).ifPresent(value -> set(flag, key, value));
  }

  private void config(String text) {
    int equals = text.indexOf('=');
    if (equals < 1 || equals == text.length() - 1) {
      throw CompatFlags.wanted(TritonFlag.TRACE_CONFIG, text, "[MODE,]NAME=VALUE");
    }
    String value = text.substring(equals + 1);
    switch (text.substring(0, equals)) {
      case "level" -> level(TritonFlag.TRACE_CONFIG, value);
      case "rate" -> set(TritonFlag.TRACE_CONFIG, "rate", value);
      case "count" -> set(TritonFlag.TRACE_CONFIG, "count", value);
      case "triton,log-frequency" -> set(TritonFlag.TRACE_CONFIG, "log_frequency", value);
      case "triton,file" -> set(TritonFlag.TRACE_CONFIG, "file", value);
      default -> meaningless(text);
    }
  }

  private void meaningless(String text) {
    if (!text.equals("mode=triton")) {
      warnings.accept(
          "--trace-config "
              + text
              + " has no effect: traces go to a file or the log, and mode=triton is the only one");
    }
  }

  private void level(TritonFlag flag, String level) {
    switch (level.toLowerCase(Locale.ROOT)) {
      case "off", "false" -> off = true;
      case "timestamps", "true", "on", "min", "max" -> timestamps = true;
      case "tensors" -> tensors = true;
      default -> throw CompatFlags.wanted(flag, level, "OFF, TIMESTAMPS or TENSORS");
    }
  }

  /** Sets the trace levels; OFF takes precedence over the others, as in Triton. */
  private void levels() {
    if (timestamps || off) {
      set(TritonFlag.TRACE_LEVEL, "timestamps", Boolean.toString(timestamps && !off));
    }
    if (tensors || off) {
      set(TritonFlag.TRACE_LEVEL, "tensors", Boolean.toString(tensors && !off));
    }
  }

  private void set(TritonFlag flag, String key, String value) {
    overrides.add(new SettingOverride("oip.trace." + key, value, flag.flag()));
  }
}
