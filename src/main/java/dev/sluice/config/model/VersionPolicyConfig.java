package dev.sluice.config.model;

import java.util.Set;

/** Version policy: which of a model's versions should be served. */
public sealed interface VersionPolicyConfig {
  /** The highest so many versions. */
  record Latest(int count) implements VersionPolicyConfig {}

  record All() implements VersionPolicyConfig {}

  /** Just these, as far as they exist. */
  record Specific(Set<Long> versions) implements VersionPolicyConfig {
    public Specific {
      versions = Set.copyOf(versions);
    }
  }
}
