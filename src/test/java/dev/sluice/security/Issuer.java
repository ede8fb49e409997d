package dev.sluice.security;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.sluice.config.security.JwtConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Issues tokens, for tests. */
public record Issuer(ECKey key) {
  public static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final String NAME = "https://issuer.example";

  /** What accepts this issuer's tokens, with the place of the keys to be added. */
  public static final JwtConfig CONFIG =
      new JwtConfig(
          Optional.empty(),
          Optional.empty(),
          Duration.ofMinutes(10),
          NAME,
          List.of("sluice"),
          Set.of(JwtConfig.Algorithm.ES256, JwtConfig.Algorithm.RS256),
          Duration.ofSeconds(30),
          "roles");

  /** Makes a key. */
  public static Issuer of(String keyId) {
    try {
      return new Issuer(new ECKeyGenerator(Curve.P_256).keyID(keyId).generate());
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  /** The public keys of some issuers, as JSON. */
  public static String jwks(Issuer... issuers) {
    return new JWKSet(List.of(issuers).stream().<JWK>map(Issuer::key).toList())
        .toPublicJWKSet()
        .toString();
  }

  /** Claims that are valid for a minute. */
  public static JWTClaimsSet.Builder claims(Instant now) {
    return new JWTClaimsSet.Builder()
        .issuer(NAME)
        .audience("sluice")
        .subject("alice")
        .expirationTime(Date.from(now.plusSeconds(60)));
  }

  /** A token whose claims are changed before it is signed. */
  public String token(Instant now, Consumer<JWTClaimsSet.Builder> changes) {
    JWTClaimsSet.Builder claims = claims(now);
    changes.accept(claims);
    try {
      var header = new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key.getKeyID()).build();
      var token = new SignedJWT(header, claims.build());
      token.sign(new ECDSASigner(key));
      return token.serialize();
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }
}
