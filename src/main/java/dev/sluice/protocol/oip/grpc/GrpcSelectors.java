package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.oip.Excerpt;

/** Reads the version of the model that a message is for. */
final class GrpcSelectors {
  private GrpcSelectors() {}

  /**
   * @param version the digits of a number, or empty for the highest version that takes requests
   * @throws InferenceException with INVALID_ARGUMENT if it is neither
   */
  static ModelSelector of(String name, String version) {
    if (version.isEmpty()) {
      return new ModelSelector.Latest(name);
    }
    long number = parse(version);
    if (number < 0) {
      throw InferenceException.invalid(
          "invalid model version specified '" + number + "', wanted an integer > 0");
    }
    return new ModelSelector.Version(name, number);
  }

  private static long parse(String version) {
    try {
      return Long.parseLong(version);
    } catch (NumberFormatException e) {
      throw InferenceException.invalid(
          "failed to get model version from specified version string '"
              + Excerpt.of(version)
              + "', wanted an integer > 0");
    }
  }
}
