package dev.sluice.extension;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An answer, or one message of a stream.
 *
 * @param outputs in the order to send them
 * @param parameters what it says besides them: texts, {@link Long}s, {@link Double}s, {@link
 *     Boolean}s. The ones that {@link Request} names for grps say there which form the answer has;
 *     without them, it has the form of the request if that can carry it
 */
public record Answer(List<Value> outputs, Map<String, Object> parameters) implements Outcome {
  public Answer {
    outputs = List.copyOf(outputs);
    parameters = Map.copyOf(parameters);
  }

  /** Returns an answer of these outputs. */
  public static Answer of(Value... outputs) {
    return new Answer(List.of(outputs), Map.of());
  }

  /** Returns the same answer with one more parameter. */
  public Answer with(String parameter, Object value) {
    Map<String, Object> all = new LinkedHashMap<>(parameters);
    all.put(parameter, value);
    return new Answer(outputs, all);
  }
}
