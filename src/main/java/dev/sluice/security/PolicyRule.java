package dev.sluice.security;

import dev.sluice.config.security.PolicyConfig;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.access.Role;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A rule of the policy, compiled.
 *
 * @param models empty: all, and what concerns no single model
 * @param highestPriority the highest that may be asked for; 1 is the highest of all
 */
record PolicyRule(
    List<Wildcard> identities,
    Set<Operation> operations,
    List<Wildcard> models,
    int highestPriority) {
  static PolicyRule of(PolicyConfig config) {
    Set<Operation> operations = EnumSet.noneOf(Operation.class);
    for (Operation operation : Operation.values()) {
      if (config.roles().stream().anyMatch(role -> operation.role() == role(role))) {
        operations.add(operation);
      }
    }
    return new PolicyRule(
        Wildcard.all(config.identities()),
        operations,
        Wildcard.all(config.models()),
        config.highestPriority());
  }

  private static Role role(PolicyConfig.Role role) {
    return Role.valueOf(role.name());
  }

  /** Returns whether the rule gives this identity anything; one for anonymous gives everybody. */
  boolean concerns(Identity identity) {
    return identities.stream()
        .anyMatch(known ->
            known.matches("anonymous") || identity.names().stream().anyMatch(known::matches));
  }

  boolean covers(String model) {
    return models.isEmpty() || models.stream().anyMatch(known -> known.matches(model));
  }
}
