package dev.sluice.protocol.oip;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The trace settings (open-inference.md section 20) of a server that records no traces: they can be
 * read, say that it does not, and can be set to what they are. The extension is not announced.
 */
public final class TraceSettings {
  private static final Map<String, List<String>> SETTINGS = new LinkedHashMap<>();

  static {
    SETTINGS.put("trace_file", List.of(""));
    SETTINGS.put("trace_level", List.of("OFF"));
    SETTINGS.put("trace_rate", List.of("1000"));
    SETTINGS.put("trace_count", List.of("-1"));
    SETTINGS.put("log_frequency", List.of("0"));
    SETTINGS.put("trace_mode", List.of("triton"));
  }

  private TraceSettings() {}

  /** All settings, in their order. All but the level have one value. */
  public static Map<String, List<String>> all() {
    return SETTINGS;
  }

  /**
   * Takes one change.
   *
   * @param values what is wanted; empty to fall back to the server's own
   * @throws InferenceException INVALID_ARGUMENT if there is no such setting; UNIMPLEMENTED if it
   *     would be another than it is
   */
  public static void put(String name, List<String> values) {
    List<String> now = SETTINGS.get(name);
    if (now == null) {
      throw InferenceException.invalid(
          "unknown trace setting '"
              + Excerpt.of(name)
              + "', wanted one of "
              + String.join(", ", SETTINGS.keySet()));
    }
    if (!values.isEmpty() && !values.equals(now)) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          name.equals("trace_file")
              ? "trace file location can not be updated through network protocol"
              : "trace setting '" + name + "' can not be changed: no traces are recorded here");
    }
  }
}
