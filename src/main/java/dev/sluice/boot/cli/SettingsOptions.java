package dev.sluice.boot.cli;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.server.RepositoryConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The flags that change settings.
 *
 * <p>An option sets one key by its full name. What it accepts is what the settings file accepts.
 */
final class SettingsOptions {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Settings in YAML. Without it: SLUICE_CONFIG, or else the defaults.")
  private @Nullable Path config;

  @Option(
      names = "--models",
      paramLabel = "DIR",
      description = "The folder whose sub-folders are models. Default: models.")
  private @Nullable String models;

  @Option(
      names = "--grps",
      paramLabel = "DIR",
      description =
          "A deployment of grps' own server, or the folder of its server.yml and inference.yml:"
              + " serves its models on its ports.")
  private @Nullable String grps;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description = "Where to listen; may be repeated. Default: localhost:8080.")
  private List<String> listen = new ArrayList<>();

  @Option(names = "--log-format", paramLabel = "FORMAT", description = "text or json.")
  private @Nullable String logFormat;

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      description = "error, warn, info, debug or trace.")
  private @Nullable String logLevel;

  @Mixin private SetOption set = new SetOption();

  /**
   * Puts flags, environment and file together.
   *
   * @throws ConfigException if they are wrong, or name no place for models
   */
  SluiceConfig read(Map<String, String> environment, Consumer<String> warnings) {
    SluiceConfig read =
        new SluiceConfigReader(warnings).read(file(environment), environment, overrides());
    refuseNowhere(read.repository());
    return read;
  }

  private Optional<Path> file(Map<String, String> environment) {
    return config != null
        ? Optional.of(config)
        : Optional.ofNullable(environment.get("SLUICE_CONFIG"))
            .filter(name -> !name.isEmpty())
            .map(Path::of);
  }

  private List<SettingOverride> overrides() {
    // The named flags come last: who writes --set log.level and --log-level means the plainer one.
    List<SettingOverride> overrides = new ArrayList<>(set.overrides());
    add(overrides, "models.directory", models, "--models");
    add(overrides, "grps.deployment", grps, "--grps");
    add(overrides, "log.format", logFormat, "--log-format");
    add(overrides, "log.level", logLevel, "--log-level");
    add(overrides, "listeners", listen.isEmpty() ? null : String.join(",", listen), "--listen");
    return overrides;
  }

  private static void add(
      List<SettingOverride> overrides, String path, @Nullable String value, String flag) {
    if (value != null) {
      overrides.add(new SettingOverride(path, value, flag));
    }
  }

  private static void refuseNowhere(RepositoryConfig repository) {
    if (repository.wanted().directories().stream().noneMatch(Files::isDirectory)
        && repository.wanted().listed().isEmpty()
        && repository.tensorflow().file().isEmpty()) {
      throw new ConfigException(
          "models.directory is "
              + ModelReports.directories(repository)
              + ", which is no folder; --models DIR says where the models are");
    }
  }
}
