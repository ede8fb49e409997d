package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/** A version policy as people write it. */
final class VersionPolicySetting {
  private static final String WANTED = "all, latest, {latest: 2} or {specific: [1, 3]}";

  private VersionPolicySetting() {}

  /** Reads {@code all}, {@code latest}, {@code {latest: 2}} or {@code {specific: [1, 3]}}. */
  static VersionPolicyConfig read(Section model, String key, VersionPolicyConfig otherwise) {
    return model
        .single(key, WANTED, otherwise)
        .map(policy -> policy.isTable() ? readTable(policy) : readWord(policy))
        .orElse(otherwise);
  }

  private static VersionPolicyConfig readWord(Setting policy) {
    return switch (policy.text()) {
      case "all" -> new VersionPolicyConfig.All();
      case "latest" -> new VersionPolicyConfig.Latest(1);
      default -> throw policy.wanted(WANTED);
    };
  }

  private static VersionPolicyConfig readTable(Setting policy) {
    return policy
        .section()
        .readAll(VersionPolicySetting::readEither)
        .orElseThrow(() -> policy.wanted(WANTED));
  }

  /** Empty unless just one of the two is there. */
  private static Optional<VersionPolicyConfig> readEither(Section policy) {
    int latest = policy.number("latest", 0, 1, Integer.MAX_VALUE);
    List<Long> specific = policy.list("specific", List.of(), Setting::version);
    if (latest > 0 == !specific.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        latest > 0
            ? new VersionPolicyConfig.Latest(latest)
            : new VersionPolicyConfig.Specific(new LinkedHashSet<>(specific)));
  }
}
