package dev.sluice.protocol.openai.http;

import dev.sluice.inference.ParameterValue;
import java.util.Map;

/**
 * What a request for a completion says.
 *
 * @param model the name of the model
 * @param prompt the text to go on with
 * @param stream whether the answer is wanted piece by piece
 * @param usage whether a stream is to end with the numbers of tokens
 * @param parameters for the model: how tokens are sampled, and when it stops
 */
record CompletionRequest(
    String model,
    String prompt,
    boolean stream,
    boolean usage,
    Map<String, ParameterValue> parameters) {}
