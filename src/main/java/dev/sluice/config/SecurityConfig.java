package dev.sluice.config;

import java.util.List;

/**
 * Which caller may do which operation.
 *
 * @param policies rules that give roles to identities. Rules add to each other; what {@code
 *     anonymous} may do, every caller may
 * @param apiKeys the keys by which callers are known
 * @param jwt which tokens callers are known by
 * @param share part of a model's streams and sequences that one identity may hold, where
 *     credentials tell callers apart
 */
public record SecurityConfig(
    List<PolicyConfig> policies, ApiKeysConfig apiKeys, JwtConfig jwt, double share) {
  private static final double DEFAULT_SHARE = 0.5;
  private static final double SMALLEST_SHARE = 0.01;

  public static final SecurityConfig DEFAULT = new SecurityConfig(List.of(PolicyConfig.DEFAULT));

  /** A policy for callers without credentials. */
  public SecurityConfig(List<PolicyConfig> policies) {
    this(policies, ApiKeysConfig.DEFAULT, JwtConfig.DEFAULT, DEFAULT_SHARE);
  }

  /** The rest as it comes. */
  public SecurityConfig(List<PolicyConfig> policies, ApiKeysConfig apiKeys, JwtConfig jwt) {
    this(policies, apiKeys, jwt, DEFAULT_SHARE);
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
        security.section("jwt", JwtConfig::read),
        security.decimal("share", DEFAULT_SHARE, SMALLEST_SHARE, 1));
  }
}
