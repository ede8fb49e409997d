package dev.sluice.config.security;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The JSON Web Tokens that are valid.
 *
 * @param keys file of public keys, PEM or JWKS. It is read again when it changes
 * @param jwksUrl address from which a JWKS is fetched, instead of {@code keys}: https, or http on
 *     this machine
 * @param refresh interval at which the JWKS is fetched
 * @param issuer claim {@code iss} that every token must have
 * @param audience values of which the claim {@code aud} must have one
 * @param algorithms signature algorithms that are accepted: rs, ps and es with 256, 384 and 512
 * @param clockSkew difference of clocks that is tolerated in {@code exp} and {@code nbf}
 * @param rolesClaim claim that names roles, with full stops between the names of nested claims. A
 *     policy knows each as {@code role:NAME}
 */
public record JwtConfig(
    Optional<Path> keys,
    Optional<URI> jwksUrl,
    Duration refresh,
    String issuer,
    List<String> audience,
    Set<Algorithm> algorithms,
    Duration clockSkew,
    String rolesClaim) {
  /** Signature algorithms of tokens: no shared secrets, and never none. */
  public enum Algorithm {
    RS256,
    RS384,
    RS512,
    PS256,
    PS384,
    PS512,
    ES256,
    ES384,
    ES512
  }

  public static final JwtConfig DEFAULT =
      new JwtConfig(
          Optional.empty(),
          Optional.empty(),
          Duration.ofMinutes(10),
          "",
          List.of(),
          Set.of(Algorithm.RS256, Algorithm.ES256),
          Duration.ofSeconds(30),
          "roles");

  private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");

  public JwtConfig {
    audience = List.copyOf(audience);
    algorithms = Set.copyOf(algorithms);
  }

  static JwtConfig read(Section jwt) {
    var read =
        new JwtConfig(
            jwt.text("keys").map(Path::of),
            jwt.single("jwks_url").filter(url -> !url.text().isEmpty()).map(JwtConfig::address),
            jwt.duration("refresh", DEFAULT.refresh),
            jwt.text("issuer", DEFAULT.issuer),
            jwt.list("audience", DEFAULT.audience, Setting::text),
            Set.copyOf(
                jwt.list(
                    "algorithms",
                    List.copyOf(DEFAULT.algorithms),
                    algorithm -> algorithm.constant(Algorithm.class))),
            jwt.duration("clock_skew", DEFAULT.clockSkew),
            jwt.text("roles_claim", DEFAULT.rolesClaim));
    read.requireWhole(jwt);
    return read;
  }

  /**
   * Requires an address whose traffic cannot be changed in transit: who could do that could forge
   * tokens.
   */
  private static URI address(Setting setting) {
    try {
      var address = new URI(setting.text());
      boolean safe =
          "https".equals(address.getScheme())
              || ("http".equals(address.getScheme()) && THIS_MACHINE.contains(address.getHost()));
      if (safe && address.getHost() != null) {
        return address;
      }
    } catch (URISyntaxException _) {
      // Said below.
    }
    throw setting.wanted("an https address, or http on localhost");
  }

  private void requireWhole(Section jwt) {
    if (!isPresent()) {
      return;
    }
    if (keys.isPresent() && jwksUrl.isPresent()) {
      throw jwt.error("has both keys and jwks_url; wanted one of them");
    }
    if (issuer.isEmpty() || audience.isEmpty()) {
      throw jwt.error("names keys, but no issuer or no audience; wanted both");
    }
    if (refresh.isZero()) {
      throw jwt.error("refresh", "is 0; wanted a length of time such as 10m");
    }
  }

  /** Returns whether callers may have tokens at all. */
  public boolean isPresent() {
    return keys.isPresent() || jwksUrl.isPresent();
  }
}
