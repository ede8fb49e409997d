package dev.sluice.config.model;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * A model that is served because someone named it, with what was said beside its name.
 *
 * @param folder holds its versions
 * @param versionPolicy which versions to serve; empty: what its own settings say
 * @param labels movable names for versions; empty: what its own settings say
 * @param batching how its requests are joined; empty: what its own settings say
 * @param settings in place of what lies in its folder; empty: what lies there
 * @param pluginSettings settings for a plugin's own use, besides its own settings and in place of
 *     those of the same names
 * @param mounted whether its folder may turn out to be one of models, which are served then in its
 *     place
 * @param implied whether no setting names it: it is listed because an ensemble is composed of it
 */
public record ListedModel(
    Path folder,
    Optional<VersionPolicyConfig> versionPolicy,
    Map<String, Long> labels,
    Optional<BatchingConfig> batching,
    Optional<ModelConfig> settings,
    Map<String, String> pluginSettings,
    boolean mounted,
    boolean implied) {
  public ListedModel {
    labels = Map.copyOf(labels);
    pluginSettings = Map.copyOf(pluginSettings);
  }

  /** A model with the settings in its folder. */
  public ListedModel(
      Path folder, Optional<VersionPolicyConfig> versionPolicy, Map<String, Long> labels) {
    this(folder, versionPolicy, labels, Optional.empty(), Optional.empty(), Map.of(), false, false);
  }

  /** Returns a folder of which nothing else is said. */
  public static ListedModel in(Path folder) {
    return new ListedModel(folder, Optional.empty(), Map.of());
  }

  /**
   * Returns a folder that is filled by someone else, with a model of its own files or with models.
   */
  public static ListedModel mounted(Path folder) {
    return new ListedModel(
        folder,
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        Map.of(),
        true,
        false);
  }

  /** The same, served for as long as what is composed of it. */
  public ListedModel asPart() {
    return new ListedModel(
        folder, versionPolicy, labels, batching, settings, pluginSettings, mounted, true);
  }

  /** Returns a copy with its requests joined in this way. */
  public ListedModel withBatching(BatchingConfig other) {
    return new ListedModel(
        folder,
        versionPolicy,
        labels,
        Optional.of(other),
        settings,
        pluginSettings,
        mounted,
        implied);
  }

  /** Returns a copy whose plugin is given these settings. */
  public ListedModel withPluginSettings(Map<String, String> others) {
    return new ListedModel(
        folder, versionPolicy, labels, batching, settings, others, mounted, implied);
  }

  /** Returns a copy with these settings in place of those in its folder. */
  public ListedModel withSettings(ModelConfig others) {
    return new ListedModel(
        folder,
        versionPolicy,
        labels,
        Optional.empty(),
        Optional.of(others),
        pluginSettings,
        false,
        implied);
  }

  /** Returns the model with these settings in place of its own. */
  public ModelConfig over(ModelConfig own) {
    return own.withVersions(
            versionPolicy.orElse(own.versionPolicy()), labels.isEmpty() ? own.labels() : labels)
        .withBatching(batching.orElse(own.batching()))
        .withPluginSettings(pluginSettings);
  }
}
