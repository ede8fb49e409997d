package dev.sluice.inference;

import java.util.Map;

/**
 * What a request says besides its tensors. Few protocols can say any of it.
 *
 * @param priority the level asked for, 1 being the highest; one that the model does not have, 0
 *     among them, means its default
 * @param sequence the sequence that it belongs to
 * @param parameters by name, what the protocol itself gives no meaning: for the model
 */
public record RequestOptions(
    long priority, SequenceStep sequence, Map<String, ParameterValue> parameters) {
  /** Nothing besides its tensors. */
  public static final RequestOptions NONE = new RequestOptions(0, SequenceStep.NONE, Map.of());

  public RequestOptions {
    parameters = Map.copyOf(parameters);
  }

  /** Nothing but a level. */
  public static RequestOptions ofPriority(long priority) {
    return new RequestOptions(priority, SequenceStep.NONE, Map.of());
  }
}
