package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.VersionPolicyConfig;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VersionPolicyTest {
  private static final List<Long> SEEN = List.of(7L, 1L, 3L, 10L);

  @Test
  void latestWantsTheHighestNumbers() {
    assertThat(desired(new VersionPolicyConfig.Latest(1))).containsExactly(10L);
    assertThat(desired(new VersionPolicyConfig.Latest(2))).containsExactly(7L, 10L);
  }

  @Test
  void latestOfMoreThanThereAreWantsAll() {
    assertThat(desired(new VersionPolicyConfig.Latest(9))).containsExactly(1L, 3L, 7L, 10L);
  }

  @Test
  void latestZeroMeansOneAsUnderTensorflowServing() {
    assertThat(desired(new VersionPolicyConfig.Latest(0))).containsExactly(10L);
  }

  @Test
  void policyAllWantsAllVersions() {
    assertThat(desired(new VersionPolicyConfig.All())).containsExactly(1L, 3L, 7L, 10L);
  }

  @Test
  void specificWantsThoseThatExist() {
    assertThat(desired(new VersionPolicyConfig.Specific(Set.of(3L, 4L)))).containsExactly(3L);
  }

  @Test
  void noVersionsNothingDesired() {
    assertThat(VersionPolicy.desired(new VersionPolicyConfig.Latest(1), List.of())).isEmpty();
  }

  private static Set<Long> desired(VersionPolicyConfig policy) {
    return VersionPolicy.desired(policy, SEEN);
  }
}
