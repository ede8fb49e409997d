package dev.sluice.extension;

import java.nio.file.Path;
import java.util.Map;

/**
 * The environment that a plugin finds when it is loaded.
 *
 * @param model the model's name
 * @param version its version
 * @param folder the version's folder, where the jar lies
 * @param settings the table {@code java.settings} of the model's settings, as texts; of a model of
 *     a grps deployment its {@code inferer_name} and {@code inferer_args}, or the {@code
 *     converter_name}, {@code converter_args} and {@code converter_path} of a converter, with lists
 *     and tables as JSON
 * @param models the other models of the server
 * @param metrics what the plugin counts and measures itself
 */
public record Setup(
    String model,
    long version,
    Path folder,
    Map<String, String> settings,
    Models models,
    Metrics metrics) {
  public Setup {
    settings = Map.copyOf(settings);
  }
}
