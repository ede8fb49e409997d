package dev.sluice.inference.control;

import java.util.Map;
import java.util.Optional;

/**
 * A model that should be served, by its name.
 *
 * @param model what clients call it
 * @param config its settings, as a Triton model configuration in protobuf's JSON form; empty: those
 *     that lie in its folder
 * @param files in place of those in its folder, by their paths in it; empty: those that lie there.
 *     The arrays are not changed any more
 */
public record ModelLoad(String model, Optional<String> config, Map<String, byte[]> files) {
  public ModelLoad {
    files = Map.copyOf(files);
  }
}
