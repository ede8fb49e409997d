package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.PolicyConfig.Role;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.testing.NamedCallers;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PolicyCallerTest {
  private final NamedCallers callers =
      new NamedCallers(
          0.5,
          rule("anonymous", "open", 9, Role.INFERENCE),
          rule("key:a", "a-*", 3, Role.INFERENCE),
          rule("key:a", "a-fast", 1, Role.INFERENCE),
          rule("key:b", "b", 1, Role.INFERENCE, Role.CONTROL));

  private static PolicyConfig rule(String identity, String model, int priority, Role... roles) {
    return new PolicyConfig(List.of(identity), Set.of(roles), List.of(model), List.of(), priority);
  }

  @Test
  void aRuleWithModelsHoldsForThemAlone() {
    Caller a = callers.of("key:a");
    assertThat(a.may(Operation.INFER, "a-1")).isTrue();
    assertThat(a.may(Operation.INFER, "b")).isFalse();
    assertThat(a.may(Operation.INFER, "open")).isTrue();
    assertThat(a.may(Operation.MODEL_METADATA, "a-1")).isFalse();
    assertThat(callers.of("key:b").may(Operation.LOAD, "b")).isTrue();
    assertThat(callers.of("key:b").may(Operation.LOAD, "a-1")).isFalse();
    assertThat(callers.of("").may(Operation.INFER, "a-1")).isFalse();
    assertThatThrownBy(() -> callers.of("key:b").require(Operation.RELOAD))
        .hasMessageContaining("'reload'")
        .hasMessageContaining("'key:b'");
  }

  @Test
  void aRefusalSaysThatTheRoleIsThereForSomeModelsAlone() {
    Caller b = callers.of("key:b");
    assertThatThrownBy(() -> b.require(Operation.LOAD, "a-1"))
        .hasMessageContaining("operation 'load' on model 'a-1' needs the role 'control', which")
        .hasMessageContaining("'key:b' has for some models alone on listener");
    var scraper = new NamedCallers(0.5, rule("key:m", "b", 1, Role.METRICS)).of("key:m");
    assertThatThrownBy(() -> scraper.require(Operation.METRICS))
        .hasMessageContaining(
            "needs the role 'metrics' for all models, which 'key:m' has for some");
    assertThatThrownBy(() -> b.require(Operation.METRICS)).hasMessageContaining("does not have");
  }

  @Test
  void theBestRuleForAModelSaysWhichPriorityMayBeAskedFor() {
    assertThat(callers.of("key:a").highestPriority("a-slow")).isEqualTo(3);
    assertThat(callers.of("key:a").highestPriority("a-fast")).isEqualTo(1);
    assertThat(callers.of("key:a").highestPriority("open")).isEqualTo(9);
    assertThat(callers.of("").highestPriority("open")).isEqualTo(9);
    assertThat(callers.of("key:a").withServerRights().highestPriority("b")).isEqualTo(1);
  }

  @Test
  void longNamesAreCutInTextsAndDistinguishedWhereStateIsKept() {
    Caller first = callers.of("key:" + "x".repeat(300) + "1");
    Caller second = callers.of("key:" + "x".repeat(300) + "2");
    assertThat(first.identity()).hasSizeLessThan(250).isNotEqualTo(second.identity());
    assertThat(first.withServerRights().identity()).isEqualTo(first.identity());
  }
}
