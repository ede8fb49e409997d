package dev.sluice.config;

import java.util.List;

/**
 * Who may do what.
 *
 * @param policies the rules; each gives rights, none takes any
 * @param apiKeys the keys by which callers are known
 * @param jwt which tokens callers are known by
 */
public record SecurityConfig(List<PolicyConfig> policies, ApiKeysConfig apiKeys, JwtConfig jwt) {
  public static final SecurityConfig DEFAULT = new SecurityConfig(List.of(PolicyConfig.DEFAULT));

  /** A policy for callers without credentials. */
  public SecurityConfig(List<PolicyConfig> policies) {
    this(policies, ApiKeysConfig.DEFAULT, JwtConfig.DEFAULT);
  }

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
            .orElse(DEFAULT.policies),
        security.section("api_keys", ApiKeysConfig::read),
        security.section("jwt", JwtConfig::read));
  }
}
