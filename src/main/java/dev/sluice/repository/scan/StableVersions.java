package dev.sluice.repository.scan;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Selects the versions of one model that may be loaded: those that look whole and did not change
 * between two polls. A folder that is still being copied changes, so it is left alone.
 *
 * <p>A version taken up once stays so until its folder is removed, even while its files are
 * replaced.
 */
public final class StableVersions {
  private SortedMap<Long, ScannedVersion> seen = new TreeMap<>();
  private final Map<Long, ScannedVersion> steady = new HashMap<>();
  private final Set<Long> taken = new HashSet<>();
  private final Map<Long, ScannedVersion> withoutModel = new HashMap<>();

  /**
   * Looks once more.
   *
   * @param trusted which versions need no second look
   */
  public void poll(SortedMap<Long, ScannedVersion> now, Predicate<ScannedVersion> trusted) {
    steady.clear();
    withoutModel.clear();
    for (ScannedVersion scanned : now.values()) {
      if (standsStill(scanned) || trusted.test(scanned)) {
        (scanned.whole() ? steady : withoutModel).put(scanned.version(), scanned);
      }
    }
    taken.addAll(steady.keySet());
    taken.retainAll(now.keySet());
    withoutModel.keySet().removeAll(taken);
    seen = now;
  }

  private boolean standsStill(ScannedVersion now) {
    ScannedVersion before = seen.get(now.version());
    return before != null && before.files().equals(now.files());
  }

  /** Versions whose files were steady at one look at least, and are still there. */
  public Set<Long> taken() {
    return taken;
  }

  /** These, and those that look whole but may still change; a new set. */
  public Set<Long> promised() {
    Set<Long> promised = new HashSet<>(taken);
    seen.values().stream()
        .filter(ScannedVersion::whole)
        .map(ScannedVersion::version)
        .forEach(promised::add);
    return promised;
  }

  /** Folders of versions that stand still and hold no model, as far as names tell. */
  public Collection<ScannedVersion> withoutModel() {
    return withoutModel.values();
  }

  /** Returns whether the version is one of these. */
  public boolean isWithoutModel(long version) {
    return withoutModel.containsKey(version);
  }

  /** Returns whether the last look saw no version at all, steady or not. */
  public boolean seesNone() {
    return seen.isEmpty();
  }

  /** Returns whether there is a folder for this version, whatever is in it. */
  public boolean exists(long version) {
    return seen.containsKey(version);
  }

  /** Returns the version as it may be loaded now; null while its files change. */
  public @Nullable ScannedVersion steady(long version) {
    return steady.get(version);
  }
}
