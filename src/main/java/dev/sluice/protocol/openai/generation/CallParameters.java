package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.ParameterValue;
import java.util.Map;

/**
 * What a call says to the model besides its prompt.
 *
 * @param priority the level asked for, 1 being the highest; 0: the model's default
 * @param values by the names that they have there
 * @param names that the caller gave them
 */
public record CallParameters(long priority, Map<String, ParameterValue> values, CallerNames names) {
  /** Copies the map. */
  public CallParameters {
    values = Map.copyOf(values);
  }
}
