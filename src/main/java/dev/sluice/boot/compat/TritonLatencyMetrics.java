package dev.sluice.boot.compat;

import dev.sluice.config.binding.SettingOverride;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Translates Triton's {@code --metrics-config NAME=VALUE}. */
final class TritonLatencyMetrics {
  private TritonLatencyMetrics() {}

  /**
   * Returns the settings that the flags stand for.
   *
   * @param warnings get what has no meaning here
   */
  static List<SettingOverride> of(CompatFlags<TritonFlag> flags, Consumer<String> warnings) {
    List<SettingOverride> overrides = new ArrayList<>();
    for (String text : flags.all(TritonFlag.METRICS_CONFIG)) {
      int equals = text.indexOf('=');
      if (equals < 1 || equals == text.length() - 1) {
        throw CompatFlags.wanted(TritonFlag.METRICS_CONFIG, text, "NAME=VALUE");
      }
      String value = text.substring(equals + 1);
      switch (text.substring(0, equals)) {
        case "counter_latencies" -> overrides.add(set("counters", value));
        case "histogram_latencies" -> overrides.add(set("histograms", value));
        case "summary_latencies" -> overrides.add(set("summaries", value));
        case "summary_quantiles" -> overrides.add(set("summary_quantiles", quantiles(value)));
        default ->
            warnings.accept(
                "--metrics-config "
                    + text
                    + " has no effect: wanted counter_latencies, histogram_latencies,"
                    + " summary_latencies or summary_quantiles");
      }
    }
    return overrides;
  }

  private static SettingOverride set(String key, String value) {
    return new SettingOverride("oip.latencies." + key, value, TritonFlag.METRICS_CONFIG.flag());
  }

  /** Each is QUANTILE:ERROR there; here no rank is wrong, whatever error is allowed. */
  private static String quantiles(String text) {
    List<String> quantiles = new ArrayList<>();
    for (String pair : text.split(",", -1)) {
      int colon = pair.indexOf(':');
      if (colon < 1) {
        throw CompatFlags.wanted(
            TritonFlag.METRICS_CONFIG, text, "summary_quantiles=QUANTILE:ERROR,...");
      }
      quantiles.add(pair.substring(0, colon).strip());
    }
    return String.join(",", quantiles);
  }
}
