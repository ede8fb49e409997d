package dev.sluice.config;

import java.util.List;

/**
 * Who may do what.
 *
 * @param policies the rules; each gives rights, none takes any
 */
public record SecurityConfig(List<PolicyConfig> policies) {
  public static final SecurityConfig DEFAULT = new SecurityConfig(List.of(PolicyConfig.DEFAULT));

  public SecurityConfig {
    policies = List.copyOf(policies);
  }

  static SecurityConfig read(Section security) {
    return new SecurityConfig(
        security
            .value("policies")
            .map(policies ->
                policies.each().stream()
                    .map(rule -> rule.section().readAll(PolicyConfig::read))
                    .toList())
            .orElse(DEFAULT.policies));
  }
}
