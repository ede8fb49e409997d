package dev.sluice.inference.control;

import java.util.Set;

/** The versions of a model that a caller wants to be served. */
public sealed interface VersionChoice {
  /** The highest so many versions; 0 means 1. */
  record Latest(int count) implements VersionChoice {}

  record All() implements VersionChoice {}

  /** Just these, as far as they exist. */
  record Specific(Set<Long> versions) implements VersionChoice {
    public Specific {
      versions = Set.copyOf(versions);
    }
  }
}
