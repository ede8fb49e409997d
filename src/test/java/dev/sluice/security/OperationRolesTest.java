package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.access.Role;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The names of settings and those of the core are the same: no operation is without a policy. */
class OperationRolesTest {
  private static <E extends Enum<E>> List<String> names(E[] constants) {
    return Arrays.stream(constants).map(Enum::name).toList();
  }

  @Test
  void aPolicyCanNameEveryRole() {
    assertThat(names(PolicyConfig.Role.values()))
        .containsExactlyInAnyOrderElementsOf(names(Role.values()));
  }

  @Test
  void aListenerCanOpenWhatIsControlAndNothingElse() {
    assertThat(names(ControlAccess.Operation.values()))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Operation.values())
                .filter(operation -> operation.isControl())
                .map(Enum::name)
                .toList());
  }

  @Test
  void everyRoleIncludesAnOperationThatARuleGives() {
    for (PolicyConfig.Role role : PolicyConfig.Role.values()) {
      var rule =
          PolicyRule.of(new PolicyConfig(List.of("key:a"), Set.of(role), List.of(), List.of()));
      assertThat(rule.operations())
          .isNotEmpty()
          .allMatch(operation -> operation.role().name().equals(role.name()));
    }
  }
}
