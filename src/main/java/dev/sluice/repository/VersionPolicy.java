package dev.sluice.repository;

import dev.sluice.config.model.VersionPolicyConfig;
import java.util.Collection;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Selects the available versions that should be served.
 *
 * <p>Pure: depends on its arguments alone, so that tests need no files.
 */
final class VersionPolicy {
  private VersionPolicy() {}

  /** Returns the desired versions, ascending; a new set. */
  static NavigableSet<Long> desired(VersionPolicyConfig policy, Collection<Long> seen) {
    NavigableSet<Long> desired = new TreeSet<>(seen);
    switch (policy) {
      case VersionPolicyConfig.Latest(int count) -> keepHighest(desired, Math.max(1, count));
      case VersionPolicyConfig.All() -> {}
      case VersionPolicyConfig.Specific(var versions) -> desired.retainAll(versions);
    }
    return desired;
  }

  private static void keepHighest(NavigableSet<Long> versions, int count) {
    while (versions.size() > count) {
      versions.pollFirst();
    }
  }
}
