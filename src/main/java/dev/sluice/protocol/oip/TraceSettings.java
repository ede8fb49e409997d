package dev.sluice.protocol.oip;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.telemetry.trace.Traces;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The trace extension (src/docs/reference/protocols/open-inference.md): settings for all models, or
 * for one. Which file traces go to, and in which mode, only the server's settings say.
 */
public final class TraceSettings {
  private static final long LARGEST = 0xFFFF_FFFFL;
  private static final long MOST_TRACES = Integer.MAX_VALUE;

  private final Map<String, List<String>> changes = new LinkedHashMap<>();

  /**
   * Takes one change.
   *
   * @param values what is wanted; empty to fall back to the setting for all models, or to that of
   *     the start
   * @throws InferenceException INVALID_ARGUMENT if there is no such setting, or its value is none
   *     that it can have; UNIMPLEMENTED if it cannot be changed
   */
  public void put(String name, List<String> values) {
    switch (name) {
      case Traces.LEVEL -> requireLevels(values);
      case Traces.RATE, Traces.FREQUENCY -> requireNumber(name, values, 0, LARGEST);
      case Traces.COUNT -> requireNumber(name, values, -1, MOST_TRACES);
      case "trace_file" ->
          throw new InferenceException(
              ErrorCode.UNIMPLEMENTED,
              "trace file location can not be updated through network protocol");
      case "trace_mode" ->
          throw new InferenceException(
              ErrorCode.UNIMPLEMENTED, "trace mode can not be updated through network protocol");
      default ->
          throw InferenceException.invalid(
              "unknown trace setting '"
                  + Excerpt.of(name)
                  + "', wanted one of trace_level, trace_rate, trace_count, log_frequency");
    }
    changes.put(name, values.stream().distinct().toList());
  }

  private static void requireLevels(List<String> levels) {
    for (String level : levels) {
      switch (level) {
        case Traces.OFF -> {
          if (levels.size() > 1) {
            throw InferenceException.invalid(
                "Expect only one trace level 'OFF' is specified: trace setting 'trace_level' is "
                    + Excerpt.of(levels)
                    + ", wanted one level");
          }
        }
        case Traces.TIMESTAMPS, Traces.TENSORS -> {
          // each of them may stand beside the other
        }
        default ->
            throw InferenceException.invalid(
                "trace setting 'trace_level' is '"
                    + Excerpt.of(level)
                    + "', wanted OFF, TIMESTAMPS or TENSORS");
      }
    }
  }

  private static void requireNumber(String name, List<String> values, long least, long most) {
    for (String value : values) {
      if (values.size() > 1 || !value.matches("-?\\d{1,20}")) {
        throw InferenceException.invalid(
            "Unable to parse '" + name + "', got: " + Excerpt.of(String.join(",", values)));
      }
      if (value.length() > 18 || Long.parseLong(value) < least || Long.parseLong(value) > most) {
        throw InferenceException.invalid(
            "Unable to parse '"
                + name
                + "', value is out of range [ "
                + least
                + ", "
                + most
                + " ], got: "
                + value);
      }
    }
  }

  /**
   * Makes the changes, if there are any.
   *
   * @param model one that there is, or empty for all
   * @throws InferenceException with PERMISSION_DENIED if the caller may not
   */
  public void apply(OipServer server, String model, Caller caller) {
    if (!changes.isEmpty()) {
      caller.require(Operation.TRACING);
      server.telemetry().traces().change(model, changes);
    }
  }

  /**
   * Returns all settings, in their order. All but the level have one value.
   *
   * @param model one that there is, or empty for all
   */
  public static Map<String, List<String>> of(OipServer server, String model) {
    Map<String, List<String>> now = server.telemetry().traces().settings(model);
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put("trace_file", List.of(server.telemetry().traces().file()));
    for (String name : List.of(Traces.LEVEL, Traces.RATE, Traces.COUNT, Traces.FREQUENCY)) {
      all.put(name, now.getOrDefault(name, List.of()));
    }
    all.put("trace_mode", List.of("triton"));
    return all;
  }
}
