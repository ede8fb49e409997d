package dev.sluice.boot.compat;

import dev.sluice.config.binding.SettingOverride;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Translates Triton's log flags: each level is on or off by itself, as in its log settings. */
final class TritonLog {
  private static final int MOST_VERBOSE = 1_000;
  private static final List<TritonFlag> LEVELS =
      List.of(TritonFlag.LOG_INFO, TritonFlag.LOG_WARNING, TritonFlag.LOG_ERROR);

  private TritonLog() {}

  /** Returns the settings that the flags stand for. */
  static List<SettingOverride> of(CompatFlags<TritonFlag> flags) {
    List<SettingOverride> overrides = new ArrayList<>();
    String lowest = verbose(flags.number(TritonFlag.LOG_VERBOSE, 0, 0, MOST_VERBOSE));
    List<String> off = new ArrayList<>();
    for (TritonFlag level : LEVELS) {
      if (!flags.on(level, true)) {
        off.add(name(level));
      } else if (lowest.isEmpty()) {
        lowest = name(level);
      }
    }
    overrides.add(override(TritonFlag.LOG_VERBOSE, "level", lowest.isEmpty() ? "error" : lowest));
    if (!off.isEmpty()) {
      overrides.add(override(TritonFlag.LOG_INFO, "suppressed", String.join(",", off)));
    }
    flags
        .text(TritonFlag.LOG_FORMAT)
        .ifPresent(format ->
            overrides.add(override(TritonFlag.LOG_FORMAT, "line_start", lineStart(format))));
    flags
        .text(TritonFlag.LOG_FILE)
        .ifPresent(file -> overrides.add(override(TritonFlag.LOG_FILE, "file", file)));
    return overrides;
  }

  private static String verbose(long level) {
    if (level == 0) {
      return "";
    }
    return level == 1 ? "debug" : "trace";
  }

  private static String name(TritonFlag level) {
    return level == TritonFlag.LOG_WARNING
        ? "warn"
        : level.name().substring("LOG_".length()).toLowerCase(Locale.ROOT);
  }

  private static String lineStart(String format) {
    return switch (format) {
      case "default" -> "glog";
      case "ISO8601" -> "iso8601";
      default -> throw CompatFlags.wanted(TritonFlag.LOG_FORMAT, format, "default or ISO8601");
    };
  }

  private static SettingOverride override(TritonFlag flag, String key, String value) {
    return new SettingOverride("log." + key, value, flag.flag());
  }
}
