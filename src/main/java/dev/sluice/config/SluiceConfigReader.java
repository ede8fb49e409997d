package dev.sluice.config;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.config.binding.Environment;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.binding.SettingsTree;
import dev.sluice.config.binding.YamlFile;
import dev.sluice.config.compat.grps.GrpsDeployment;
import dev.sluice.config.otlp.OtelEnvironment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Puts the settings together: flags beat environment variables, these beat the file, the file beats
 * the defaults.
 *
 * @param warnings receives probable mistakes
 */
public record SluiceConfigReader(Consumer<String> warnings) {
  /**
   * Reads and checks everything.
   *
   * @param file a {@code sluice.yml}; without one, the defaults
   * @param environment of the process; variables that begin with {@code SLUICE_}, and those of
   *     OpenTelemetry for what {@code tracing} and {@code metrics_export} leave open
   * @param flags from the command line, the last one wins
   * @throws dev.sluice.config.binding.ConfigException with a text for the person who wrote the
   *     settings
   */
  public SluiceConfig read(
      Optional<Path> file, Map<String, String> environment, List<SettingOverride> flags) {
    ObjectNode root = file.map(YamlFile::read).orElseGet(JsonNodeFactory.instance::objectNode);
    var tree = new SettingsTree(root, file.map(Path::toString).orElse("defaults"));
    var nothing = ofNothing();
    new Environment(List.copyOf(nothing.known()), nothing.keys(), warnings)
        .overrides(environment)
        .forEach(tree::set);
    flags.forEach(tree::set);
    SluiceConfig read = tree.read(SluiceConfig::read);
    read.protocols().grps().deployment().flatMap(GrpsDeployment::warning).ifPresent(warnings);
    var otel = new OtelEnvironment(environment, warnings);
    SluiceConfig.Observability observability = read.observability();
    return read.with(
        observability.with(
            otel.complete(observability.tracing()), otel.complete(observability.metricsExport())));
  }

  /** Full names of all settings with a single value: those that reading nothing asks for. */
  static List<String> settings() {
    return List.copyOf(ofNothing().known());
  }

  private static SettingsTree ofNothing() {
    var nothing = new SettingsTree(JsonNodeFactory.instance.objectNode(), "nothing");
    nothing.read(SluiceConfig::read);
    return nothing;
  }
}
