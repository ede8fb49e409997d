package dev.sluice.repository;

import dev.sluice.config.RepositoryConfig;
import dev.sluice.inference.VersionStatus.Failure;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the folders time after time, and reads settings that have changed. Blocks; one thread at
 * a time.
 */
final class FolderWatch {
  /** How old the newest file must be, on the first look, for its folder to count as complete. */
  private static final Duration SETTLING_TIME = Duration.ofSeconds(2);

  private final VersionScanner scanner;
  private final ModelSettings settings;
  private final InstantSource clock;
  private final boolean onlyOnce;
  private final Map<String, SettingsWatch> watches = new HashMap<>();
  private boolean first = true;

  FolderWatch(RepositoryConfig config, ModelSettings settings, InstantSource clock) {
    this.scanner = new VersionScanner(config.directory(), config.models());
    this.settings = settings;
    this.clock = clock;
    this.onlyOnce = config.pollInterval().isZero();
  }

  /**
   * One look.
   *
   * @param seen what lies there
   * @param settings of each model seen
   * @param trusted which versions need no second look to be taken up
   */
  record Look(
      Sightings seen,
      Map<String, SettingsWatch.Reading> settings,
      Predicate<VersionSighting> trusted) {
    /** What an operator should know of it; a new set. */
    Set<String> warnings() {
      Set<String> warnings = new HashSet<>(seen.warnings());
      settings.forEach((name, reading) -> {
        if (reading instanceof SettingsWatch.Reading.Broken(Failure(_, String text))) {
          warnings.add("Model %s: its settings are not used: %s".formatted(name, text));
        }
      });
      return warnings;
    }
  }

  Look look() {
    Sightings seen = scanner.scan();
    watches.keySet().removeIf(seen::misses);
    Map<String, SettingsWatch.Reading> readings = new HashMap<>();
    seen.models().forEach((name, model) -> readings.put(name, read(name, model)));
    Look look =
        new Look(seen.withEnsembles(name -> isEnsemble(readings.get(name))), readings, trusted());
    first &= !seen.complete();
    return look;
  }

  private static boolean isEnsemble(SettingsWatch.@Nullable Reading reading) {
    return reading instanceof SettingsWatch.Reading.Good(var config)
        && config.ensemble().isPresent();
  }

  private SettingsWatch.Reading read(String name, ModelSighting model) {
    return watches.computeIfAbsent(name, _ -> new SettingsWatch(settings, model)).look(model);
  }

  /** If there is no second look, the first must do; and at the start, old files are at rest. */
  private Predicate<VersionSighting> trusted() {
    if (onlyOnce) {
      return _ -> true;
    }
    Instant atRest = clock.instant().minus(SETTLING_TIME);
    boolean atStart = first;
    return version -> atStart && version.files().newest().isBefore(atRest);
  }
}
