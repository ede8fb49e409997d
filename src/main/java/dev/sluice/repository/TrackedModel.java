package dev.sluice.repository;

import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.config.server.LoadingConfig;
import dev.sluice.config.server.LoadingConfig.Transition;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.LoadFailure;
import dev.sluice.inference.control.VersionStatus.Failure;
import dev.sluice.repository.scan.ModelFolder;
import dev.sluice.repository.scan.ScannedModel;
import dev.sluice.repository.scan.ScannedVersion;
import dev.sluice.repository.scan.StableVersions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/*
 * Reconciliation: how a model gets from its actual state to its desired state
 *
 * Desired. The version policy selects from the versions whose files are stable. Each event (a poll
 *          of the folders, a finished load, a closed version) ends with a new plan, so that plans
 *          begun before need no memory.
 * Load.    Desired versions that are not loaded are loaded, the highest number first, beside the
 *          live ones. A live version is not reloaded from files that have changed, unless the
 *          settings say so or a caller asks for it.
 * Unload.  Only when every desired version is either live or failed, and at least one is live, are
 *          the others unloaded. So a version that fails to load leaves the old one serving, and
 *          versions that come faster than they load still get served. With transition "resources"
 *          the order is reversed: versions that are no longer desired are unloaded first, and
 *          nothing loads until they are closed.
 * Retry.   A load that failed is tried again, as often and as late as the settings say. Meanwhile
 *          the version is LOADING, and reports the error.
 * Forget.  A version that once took requests stays listed, as under TensorFlow Serving. One that
 *          never did is forgotten with its folder.
 */

/**
 * One model, its settings and its versions. Touched only under the repository's lock.
 *
 * <p>Reconciliation: {@link #plan} compares desired with actual state and returns actions; the
 * repository carries them out and reports back by the methods that record what happened.
 */
final class TrackedModel {
  private final String name;
  private final LoadingConfig loading;

  /** True if versions that take requests are reloaded from changed files. */
  private final boolean reread;

  /**
   * True if it was found in its folder when the server was ready, so that no caller uses it yet.
   */
  private final boolean added;

  private final VersionPolicyConfig defaultPolicy;
  private final RepositoryListener listener;
  private final NavigableMap<Long, TrackedVersion> versions = new TreeMap<>();
  private final StableVersions steady = new StableVersions();
  private @Nullable ModelConfig config;
  private @Nullable Failure broken;
  private boolean settled;
  private boolean ready;
  private boolean there = true;
  private boolean asked;
  private @Nullable Path folder;

  TrackedModel(
      String name, RepositoryConfig config, RepositoryListener listener, boolean serverIsReady) {
    this.name = name;
    // Callers who load a model by its name ask the server whether it is ready, as Triton's do.
    this.added = serverIsReady && !config.control().explicit();
    this.loading = config.loading();
    // Where callers decide, files are looked at only because one of them asked for a load.
    this.reread = config.loading().reread() || config.control().explicit();
    this.defaultPolicy = config.defaults().versionPolicy();
    this.listener = listener;
  }

  String name() {
    return name;
  }

  /** Records that the settings were read well: they hold from the next plan on. */
  void use(ModelConfig next) {
    config = next;
    broken = null;
  }

  /**
   * Records that the settings cannot be read: earlier ones stay in force, without any nothing is
   * served.
   */
  void refuse(Failure why) {
    broken = why;
  }

  /** Records that the model's folder was looked at. */
  void poll(ScannedModel now, Predicate<ScannedVersion> trusted) {
    there = true;
    folder = now.folder();
    steady.poll(now.versions(), trusted);
  }

  /** Records that the model's folder was removed, and the settings with it. */
  void leave() {
    there = false;
    folder = null;
    config = null;
    broken = null;
    steady.poll(Collections.emptySortedMap(), _ -> false);
  }

  /** Records whether a caller named the model; otherwise its folder was found. */
  void ask(boolean byName) {
    asked = byName;
  }

  /** Returns whether the model can be forgotten: it has no version and nothing to report. */
  boolean forgotten() {
    return !there && versions.isEmpty();
  }

  /** Returns whether all versions are up that should be; see {@link ModelRepository#allReady}. */
  boolean ready() {
    return ready && !(asked && versions.keySet().stream().allMatch(steady::isWithoutModel));
  }

  Map<String, Long> labels() {
    return config == null ? Map.of() : config.labels();
  }

  /** Returns every version worth telling of, ascending. */
  Collection<TrackedVersion> versions() {
    return versions.values();
  }

  /** Versions the settings ask for by number that do not exist. */
  Set<Long> missing() {
    Set<Long> missing = new TreeSet<>();
    if (config != null && config.versionPolicy() instanceof VersionPolicyConfig.Specific some) {
      missing.addAll(some.versions());
      missing.removeIf(steady::exists);
    }
    return missing;
  }

  /** Returns the labels of versions that do not exist; none if no version does. */
  Map<String, Long> missingLabels() {
    Map<String, Long> missing = new TreeMap<>();
    if (!steady.seesNone()) {
      missing.putAll(labels());
      missing.values().removeIf(steady::exists);
    }
    return missing;
  }

  /** Returns a warning for the operator if the model has no version; else empty. */
  Optional<String> nothingThere() {
    return withoutVersion().map(text -> "Model " + name + ": " + text);
  }

  /** Says that its folder holds no version, and what is wanted there; empty if one is there. */
  Optional<String> withoutVersion() {
    return folder != null && steady.seesNone() && ensemble().isEmpty()
        ? Optional.of(
            "%s holds no version; wanted folders named by a number, or one of %s"
                .formatted(folder, ModelFolder.WANTED))
        : Optional.empty();
  }

  /** Returns the members of the model, if it is an ensemble. */
  Optional<EnsembleConfig> ensemble() {
    return config == null ? Optional.empty() : config.ensemble();
  }

  /**
   * Returns the readiness of the model as a member of an ensemble.
   *
   * @param wanted the version, or {@link EnsembleConfig#LATEST}
   */
  EnsembleMembers.Readiness asMember(long wanted) {
    Map<Long, TrackedVersion> candidates =
        wanted == EnsembleConfig.LATEST
            ? versions.descendingMap()
            : versions.subMap(wanted, true, wanted, true);
    for (var version : candidates.entrySet()) {
      if (version.getValue().is(VersionState.AVAILABLE)) {
        var id = new ModelId(name, version.getKey());
        return new EnsembleMembers.Readiness.Ready(List.of(version.getValue().asMember(id)));
      }
    }
    if (candidates.values().stream().anyMatch(TrackedVersion::isOnTheWay)) {
      return new EnsembleMembers.Readiness.Waiting();
    }
    return new EnsembleMembers.Readiness.Missing(
        candidates.values().stream()
            .flatMap(version -> version.status().error().stream())
            .findFirst()
            .orElse(new Failure(ErrorCode.UNAVAILABLE, "it has no such version that is loaded")));
  }

  /** Returns the actions to take now. Each step is handed out once and must be performed. */
  List<RepositoryAction> plan(EnsembleMembers all) {
    NavigableSet<Long> desired = desired(steady.taken());
    NavigableSet<Long> promised = desired(steady.promised());
    promised.forEach(number -> versions.computeIfAbsent(number, TrackedVersion::new));
    List<RepositoryAction> steps = new ArrayList<>();
    if (loading.transition() == Transition.RESOURCES) {
      unloadAllBut(desired, promised, steps);
    }
    steady.withoutModel().forEach(this::refuseEmpty);
    desired.descendingSet().forEach(number -> bringUp(number, all, steps));
    if (mayUnload(desired)) {
      unloadAllBut(desired, promised, steps);
    }
    versions.entrySet().removeIf(version -> isOver(version.getKey(), version.getValue(), promised));
    promised.addAll(desired);
    judge(promised);
    return steps;
  }

  private NavigableSet<Long> desired(Set<Long> numbers) {
    return VersionPolicy.desired(config == null ? defaultPolicy : config.versionPolicy(), numbers);
  }

  private boolean hasRoom() {
    return loading.transition() == Transition.AVAILABILITY
        || versions.values().stream().noneMatch(version -> version.is(VersionState.UNLOADING));
  }

  private void bringUp(long number, EnsembleMembers all, List<RepositoryAction> steps) {
    TrackedVersion version = versions.computeIfAbsent(number, TrackedVersion::new);
    version.resume();
    ScannedVersion scanned = steady.steady(number);
    if (config == null) {
      refuse(number, version, broken);
    } else if (scanned != null) {
      switch (all.of(name)) {
        case EnsembleMembers.Readiness.Ready(var members) ->
            load(scanned, version, config, members, steps);
        case EnsembleMembers.Readiness.Waiting _ -> {
          withdrawServed(version, steps);
          version.awaitMembers();
        }
        case EnsembleMembers.Readiness.Missing(Failure why) -> {
          withdrawServed(version, steps);
          refuseMissing(number, version, why);
        }
      }
    }
  }

  /** Withdraws an ensemble: without one of its members it could only fail. */
  private static void withdrawServed(TrackedVersion version, List<RepositoryAction> steps) {
    if (version.is(VersionState.AVAILABLE)) {
      withdraw(version, steps);
    }
  }

  /** Rejects an empty folder, which is waited for as before, but not in silence. */
  private void refuseEmpty(ScannedVersion scanned) {
    long number = scanned.version();
    refuse(
        number,
        versions.computeIfAbsent(number, TrackedVersion::new),
        new Failure(ErrorCode.NOT_FOUND, scanned.missing(name)));
  }

  private void refuse(long number, TrackedVersion version, @Nullable Failure why) {
    if (why != null && version.refuse(why)) {
      listener.failed(new ModelId(name, number), why);
    }
  }

  /** Rejects an ensemble; that a caller takes a member from one that served is no error. */
  private void refuseMissing(long number, TrackedVersion version, Failure why) {
    var id = new ModelId(name, number);
    if (!version.refuse(why)) {
      return;
    }
    if (version.served()) {
      listener.memberLost(id, why);
    } else {
      listener.failed(id, why);
    }
  }

  private void load(
      ScannedVersion scanned,
      TrackedVersion version,
      ModelConfig settings,
      List<EnsembleMember> members,
      List<RepositoryAction> steps) {
    LoadAttempt attempt = LoadAttempt.of(scanned, settings, members);
    boolean kept = version.keeps(attempt) && !reread;
    if (kept || !version.needs(attempt)) {
      return;
    }
    if (loading.transition() == Transition.RESOURCES) {
      withdrawServed(version, steps);
    }
    if (hasRoom()) {
      version.startLoading(attempt);
      ModelId id = new ModelId(name, scanned.version());
      steps.add(new RepositoryAction.Load(id, scanned.folder(), settings));
    }
  }

  private boolean mayUnload(Set<Long> desired) {
    return desired.isEmpty() || (desired.stream().allMatch(this::decided) && anyAvailable(desired));
  }

  private boolean decided(long number) {
    TrackedVersion version = versions.get(number);
    return version != null
        && (version.is(VersionState.AVAILABLE)
            || (version.is(VersionState.END) && version.failed()));
  }

  private boolean anyAvailable(Set<Long> numbers) {
    return numbers.stream().anyMatch(this::available);
  }

  private boolean available(long number) {
    TrackedVersion version = versions.get(number);
    return version != null && version.is(VersionState.AVAILABLE);
  }

  private void unloadAllBut(Set<Long> desired, Set<Long> promised, List<RepositoryAction> steps) {
    versions.forEach((number, version) -> {
      if (!desired.contains(number) && !promised.contains(number)) {
        withdraw(version, steps);
      }
    });
  }

  /** Withdraws everything, for the end of the server. */
  List<RepositoryAction> withdrawAll() {
    List<RepositoryAction> steps = new ArrayList<>();
    versions.values().forEach(version -> withdraw(version, steps));
    return steps;
  }

  private static void withdraw(TrackedVersion version, List<RepositoryAction> steps) {
    LiveVersion live = version.withdraw();
    if (live != null) {
      steps.add(new RepositoryAction.Retire(live));
    }
  }

  private boolean isOver(long number, TrackedVersion version, Set<Long> promised) {
    if (version.served() || version.loading()) {
      return false;
    }
    return switch (version.state()) {
      case START -> !promised.contains(number);
      case END -> !version.failed() || !steady.exists(number);
      case LOADING, AVAILABLE, UNLOADING -> false;
    };
  }

  private void judge(Set<Long> expected) {
    boolean complete = expected.stream().allMatch(this::available);
    settled = anyAvailable(versions.keySet()) && (settled || complete);
    ready = expected.stream().allMatch(this::fine);
  }

  /**
   * Strict until the model was complete once; after that it stays ready as long as a version takes
   * requests, whether further ones load or fail: on a shared volume, one broken upload would
   * otherwise take every replica out of service. So would a model that is added later and not named
   * in the settings.
   */
  private boolean fine(long number) {
    return settled || (added && !asked) || available(number);
  }

  /** Records that a load has succeeded. Returns what is not needed any more. */
  @Nullable LiveVersion loaded(LiveVersion fresh) {
    return version(fresh.id()).loaded(fresh);
  }

  /** Records that a load has failed. Adds what follows from it. */
  void failed(ModelId id, Failure why, List<RepositoryAction> steps) {
    TrackedVersion version = version(id);
    boolean again = version.failures() < loading.retries();
    if (again ? version.failedForNow(why) : version.failed(why)) {
      listener.failed(id, why);
      if (again) {
        steps.add(new RepositoryAction.Retry(id));
      }
    }
  }

  /** Called when the time has come to try a load that failed again. */
  void retry(ModelId id) {
    TrackedVersion version = versions.get(id.version());
    if (version != null) {
      version.retry();
    }
  }

  /** Returns whether a version takes requests. */
  boolean serves() {
    return anyAvailable(versions.keySet());
  }

  /** Returns whether a version takes requests, or none is loading or about to. */
  boolean decided() {
    return serves()
        || versions.values().stream()
            .noneMatch(v -> v.is(VersionState.START) || v.is(VersionState.LOADING));
  }

  /**
   * Returns the reasons why no version takes requests; that there is none to load, if there is no
   * other reason.
   */
  List<LoadFailure> failures() {
    List<LoadFailure> failures = new ArrayList<>();
    versions.forEach((number, version) ->
        version
            .status()
            .error()
            .ifPresent(why -> failures.add(new LoadFailure(name, Optional.of(number), why))));
    if (failures.isEmpty()) {
      var nothing = new Failure(ErrorCode.NOT_FOUND, "no version was found in its folder");
      failures.add(new LoadFailure(name, Optional.empty(), broken == null ? nothing : broken));
    }
    return failures;
  }

  /** Returns whether every desired version is up to date with its files, or has failed to be. */
  boolean whollyDecided() {
    return desired(steady.taken()).stream()
        .map(versions::get)
        .allMatch(version -> version != null && version.decided());
  }

  /**
   * Returns the failures of desired versions that are not served, or are older than their files.
   */
  List<LoadFailure> whollyFailures() {
    Set<Long> desired = desired(steady.taken());
    return broken == null && !desired.isEmpty()
        ? failures().stream()
            .filter(failure -> failure.version().filter(desired::contains).isPresent())
            .toList()
        : failures();
  }

  /** Allows another attempt to load versions that failed. */
  void reconsider() {
    versions.values().forEach(TrackedVersion::retry);
  }

  /** Something that took requests is closed. */
  void drained(LiveVersion closed) {
    TrackedVersion version = versions.get(closed.id().version());
    if (version != null && version.drained(closed)) {
      listener.unloaded(closed.id());
    }
  }

  /** Returns the version, which is never removed while a load is in flight. */
  private TrackedVersion version(ModelId id) {
    TrackedVersion version = versions.get(id.version());
    if (version == null) {
      throw new IllegalStateException(id + " was loaded but is not known");
    }
    return version;
  }
}
