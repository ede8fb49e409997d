package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
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

  /** Reads {@code all}, {@code latest}, {@code {latest: 2}} or {@code {specific: [1, 3]}}. */
  static VersionPolicyConfig read(Section model, String key, VersionPolicyConfig otherwise) {
    return model
        .single(key, wanted(), otherwise)
        .map(policy -> policy.isTable() ? readTable(policy) : readWord(policy))
        .orElse(otherwise);
  }

  private static VersionPolicyConfig readWord(Setting policy) {
    return switch (policy.text()) {
      case "all" -> new All();
      case "latest" -> new Latest(1);
      default -> throw policy.wanted(wanted());
    };
  }

  private static VersionPolicyConfig readTable(Setting policy) {
    return policy
        .section()
        .readAll(VersionPolicyConfig::readEither)
        .orElseThrow(() -> policy.wanted(wanted()));
  }

  /** Empty unless just one of the two is there. */
  private static Optional<VersionPolicyConfig> readEither(Section policy) {
    int latest = policy.number("latest", 0, 1, Integer.MAX_VALUE);
    List<Long> specific = policy.list("specific", List.of(), Setting::version);
    if (latest > 0 == !specific.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        latest > 0 ? new Latest(latest) : new Specific(new LinkedHashSet<>(specific)));
  }

  private static String wanted() {
    return "all, latest, {latest: 2} or {specific: [1, 3]}";
  }
}
