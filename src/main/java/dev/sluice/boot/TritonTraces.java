package dev.sluice.boot;

import dev.sluice.config.SettingOverride;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What Triton's flags say of traces. Each setting has a flag, and {@code --trace-config}, which
 * came later and has the word, has them all: {@code [MODE,]NAME=VALUE}.
 */
final class TritonTraces {
  private final Consumer<String> warnings;
  private final List<SettingOverride> overrides = new ArrayList<>();

  private TritonTraces(Consumer<String> warnings) {
    this.warnings = warnings;
  }

  /**
   * The settings that the flags stand for.
   *
   * @param warnings get what has no meaning here
   */
  static List<SettingOverride> of(CompatFlags<TritonFlag> flags, Consumer<String> warnings) {
    var traces = new TritonTraces(warnings);
    traces.levels(TritonFlag.TRACE_LEVEL, flags.all(TritonFlag.TRACE_LEVEL));
    traces.last(flags, TritonFlag.TRACE_RATE, "rate");
    traces.last(flags, TritonFlag.TRACE_COUNT, "count");
    traces.last(flags, TritonFlag.TRACE_LOG_FREQUENCY, "log_frequency");
    flags.all(TritonFlag.TRACE_CONFIG).forEach(traces::config);
    return traces.overrides;
  }

  private void last(CompatFlags<TritonFlag> flags, TritonFlag flag, String key) {
    flags.text(flag).ifPresent(value -> set(flag, key, value));
  }

  private void config(String text) {
    int equals = text.indexOf('=');
    if (equals < 0) {
      throw CompatFlags.wanted(TritonFlag.TRACE_CONFIG, text, "[MODE,]NAME=VALUE");
    }
    String value = text.substring(equals + 1);
    switch (text.substring(0, equals)) {
      case "level" -> levels(TritonFlag.TRACE_CONFIG, List.of(value));
      case "rate" -> set(TritonFlag.TRACE_CONFIG, "rate", value);
      case "count" -> set(TritonFlag.TRACE_CONFIG, "count", value);
      case "triton,log-frequency" -> set(TritonFlag.TRACE_CONFIG, "log_frequency", value);
      default -> meaningless(text);
    }
  }

  /** Traces go to the log, which is the only mode there is, and has no settings of its own. */
  private void meaningless(String text) {
    if (!text.equals("mode=triton")) {
      warnings.accept("--trace-config " + text + " has no meaning here: traces go to the log");
    }
  }

  private void levels(TritonFlag flag, List<String> levels) {
    for (String level : levels) {
      if (!level.equals("OFF") && !level.equals("TIMESTAMPS")) {
        throw CompatFlags.wanted(flag, level, "OFF or TIMESTAMPS");
      }
      set(flag, "timestamps", Boolean.toString(level.equals("TIMESTAMPS")));
    }
  }

  private void set(TritonFlag flag, String key, String value) {
    overrides.add(new SettingOverride("oip.trace." + key, value, flag.flag()));
  }
}
