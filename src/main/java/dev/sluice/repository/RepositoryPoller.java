package dev.sluice.repository;

import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.control.VersionStatus.Failure;
import dev.sluice.repository.scan.ScanResult;
import dev.sluice.repository.scan.ScannedModel;
import dev.sluice.repository.scan.ScannedVersion;
import dev.sluice.repository.scan.VersionScanner;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Polls the model folders, and reads settings that have changed. Blocks; one thread at a time.
 *
 * <p>Blocks on the file system; remembers the last poll, so that a folder counts as stable only
 * when two polls agree.
 */
final class RepositoryPoller {
  /** Age that the newest file must have, on the first poll, for its folder to count as complete. */
  private static final Duration SETTLING_TIME = Duration.ofSeconds(2);

  private final ModelSettings settings;
  private final InstantSource clock;
  private final boolean onlyOnce;
  private final boolean onlyNamed;
  private final Map<String, ScannedModel> scans = new HashMap<>();
  private final Map<String, SettingsPoller> watches = new HashMap<>();
  private boolean first = true;

  RepositoryPoller(RepositoryConfig config, ModelSettings settings, InstantSource clock) {
    this.settings = settings;
    this.clock = clock;
    this.onlyOnce = config.effectivePollInterval().isZero();
    this.onlyNamed = config.control().explicit();
  }

  /**
   * One look.
   *
   * @param seen what lies there
   * @param settings of each model seen
   * @param trusted which versions, of the model of this name, need no second look to be taken up
   */
  record Poll(
      ScanResult seen,
      Map<String, SettingsPoller.Reading> settings,
      BiPredicate<String, ScannedVersion> trusted) {
    /** Returns warnings for the operator; a new set. */
    Set<String> warnings() {
      Set<String> warnings = new HashSet<>(seen.warnings());
      settings.forEach((name, reading) -> {
        if (reading instanceof SettingsPoller.Reading.Broken(Failure(_, String text))) {
          warnings.add("Model %s: its settings are not used: %s".formatted(name, text));
        }
      });
      return warnings;
    }
  }

  /**
   * Looks once. Where callers decide what is served, models that are not fresh stay as they were
   * seen before.
   *
   * @param wanted where to look
   * @param fresh names of models that are looked at for the first time, or that someone has asked
   *     to look at again
   */
  Poll poll(DesiredModels wanted, Set<String> fresh) {
    if (onlyNamed) {
      fresh.forEach(this::forget);
    }
    ScanResult seen = new VersionScanner(wanted, scans).scan();
    if (onlyNamed) {
      scans.clear();
      scans.putAll(seen.models());
    }
    watches.keySet().removeIf(seen::misses);
    Map<String, SettingsPoller.Reading> readings = new HashMap<>();
    seen.models()
        .forEach((name, model) ->
            readings.put(name, settings(wanted.listed().get(name), read(name, model))));
    Predicate<ScannedVersion> atRest = atRest();
    boolean atStart = first;
    first &= !seen.complete();
    return new Poll(
        seen.withEnsembles(name -> isEnsemble(readings.get(name))),
        readings,
        (name, version) -> onlyOnce || ((atStart || fresh.contains(name)) && atRest.test(version)));
  }

  private void forget(String name) {
    scans.remove(name);
    watches.remove(name);
  }

  private static boolean isEnsemble(SettingsPoller.@Nullable Reading reading) {
    return reading instanceof SettingsPoller.Reading.Good(var config)
        && config.ensemble().isPresent();
  }

  private SettingsPoller.Reading read(String name, ScannedModel model) {
    SettingsPoller watch = watches.get(name);
    if (watch == null || !watch.watches(model)) {
      watch = new SettingsPoller(settings, model);
      watches.put(name, watch);
    }
    return watch.poll(model);
  }

  /** Returns the settings of a model; those beside its name take precedence over its own. */
  private static SettingsPoller.Reading settings(
      @Nullable ListedModel listed, SettingsPoller.Reading own) {
    if (listed == null) {
      return own;
    }
    SettingsPoller.Reading said =
        listed.settings().<SettingsPoller.Reading>map(SettingsPoller.Reading.Good::new).orElse(own);
    return said instanceof SettingsPoller.Reading.Good(ModelConfig config)
        ? new SettingsPoller.Reading.Good(listed.over(config))
        : said;
  }

  /** Old files are at rest: what was copied long ago needs no second look. */
  private Predicate<ScannedVersion> atRest() {
    Instant atRest = clock.instant().minus(SETTLING_TIME);
    return version -> version.files().newest().isBefore(atRest);
  }
}
