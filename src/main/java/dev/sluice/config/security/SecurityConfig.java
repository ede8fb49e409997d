package dev.sluice.config.security;

import dev.sluice.config.binding.Section;
import java.util.List;

/**
 * Authentication and authorization: which caller may do which operation.
 *
 * @param policies rules that give roles to identities. Rules add to each other; what {@code
 *     anonymous} may do, every caller may
 * @param apiKeys the keys by which callers are known
 * @param jwt which tokens callers are known by
 * @param share part of a model's streams and sequences that one identity may hold, where
 *     credentials tell callers apart
 * @param restricted operations that need a header; of Triton's command line only
 */
public record SecurityConfig(
    List<PolicyConfig> policies,
    ApiKeysConfig apiKeys,
    JwtConfig jwt,
    double share,
    List<RestrictedApi> restricted) {
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

  /** Without operations that need a header. */
  public SecurityConfig(
      List<PolicyConfig> policies, ApiKeysConfig apiKeys, JwtConfig jwt, double share) {
    this(policies, apiKeys, jwt, share, List.of());
  }

  public SecurityConfig {
    policies = List.copyOf(policies);
    restricted = List.copyOf(restricted);
  }

  /** Returns a copy with operations that need a header. */
  public SecurityConfig withRestricted(List<RestrictedApi> others) {
    return new SecurityConfig(policies, apiKeys, jwt, share, others);
  }

  /** Reads the settings of identities and policies. */
  public static SecurityConfig read(Section security) {
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
