package dev.sluice.inference;

import java.util.Map;

/**
 * The parameters of a request besides its tensors. Few protocols can say any of it.
 *
 * @param priority the level asked for, 1 being the highest; one that the model does not have, 0
 *     among them, means its default
 * @param timeoutMicros how long it may wait for its turn, in microseconds; 0 if it does not say
 * @param sequence the sequence that it belongs to
 * @param parameters by name, what the protocol itself gives no meaning: for the model
 */
public record RequestOptions(
    long priority,
    long timeoutMicros,
    SequenceStep sequence,
    Map<String, ParameterValue> parameters) {
  /** Nothing besides its tensors. */
  public static final RequestOptions NONE = new RequestOptions(0, SequenceStep.NONE, Map.of());

  public RequestOptions {
    parameters = Map.copyOf(parameters);
  }

  /** Without a time of its own. */
  public RequestOptions(
      long priority, SequenceStep sequence, Map<String, ParameterValue> parameters) {
    this(priority, 0, sequence, parameters);
  }

  /** Returns a copy with no higher priority than the model's caller may ask it for. */
  RequestOptions within(ModelLease model) {
    if (priority <= 0) {
      return this;
    }
    int highest = model.caller().highestPriority(model.id().name());
    return priority >= highest
        ? this
        : new RequestOptions(highest, timeoutMicros, sequence, parameters);
  }

  /** Returns a copy with other parameters for the model. */
  RequestOptions withParameters(Map<String, ParameterValue> others) {
    return new RequestOptions(priority, timeoutMicros, sequence, others);
  }

  /** Nothing but a level. */
  public static RequestOptions ofPriority(long priority) {
    return new RequestOptions(priority, SequenceStep.NONE, Map.of());
  }
}
