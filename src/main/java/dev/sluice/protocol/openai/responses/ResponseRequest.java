package dev.sluice.protocol.openai.responses;

import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.openai.generation.CallParameters;
import dev.sluice.protocol.openai.tools.Tools;
import java.util.Map;

/**
 * What a request for a response says.
 *
 * @param model the name of the model
 * @param conversation its prompt, as JSON for the chat template
 * @param stream whether the answer is wanted as events
 * @param said what goes to the model: how tokens are sampled, and when it stops
 * @param tools functions that the model may call
 * @param settings what the answer repeats
 */
record ResponseRequest(
    String model,
    String conversation,
    boolean stream,
    CallParameters said,
    Tools tools,
    ResponseSettings settings) {
  /** Returns what goes to the model, by its names. */
  Map<String, ParameterValue> parameters() {
    return said.values();
  }
}
