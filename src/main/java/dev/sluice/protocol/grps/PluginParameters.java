package dev.sluice.protocol.grps;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ParameterValue;

/**
 * Parameters by which a plugin reads the parts of a message besides its tensors, and sets those of
 * its answer.
 */
final class PluginParameters {
  /** The field that holds the data: {@code str_data}. */
  static final String DATA = "grps.data";

  /** The model's name in the message. */
  static final String MODEL = "grps.model";

  /** In front of the keys of a map of bytes. */
  static final String BYTES = "grps.s_b.";

  private PluginParameters() {}

  /** Returns a text that the answer says; empty if it does not. */
  static String text(InferenceResponse response, String parameter) {
    return response.parameters().get(parameter) instanceof ParameterValue.Text(String text)
        ? text
        : "";
  }
}
