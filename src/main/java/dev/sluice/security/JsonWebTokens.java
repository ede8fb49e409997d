package dev.sluice.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.jwt.proc.JWTClaimsSetVerifier;
import dev.sluice.config.security.JwtConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.text.ParseException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Recognises callers by JSON Web Tokens. Looking at a signature takes tens of microseconds; what
 * was found is remembered until the token expires or the keys change. Any thread.
 */
final class JsonWebTokens {
  /** Characters of all tokens that are remembered. */
  private static final long MOST_REMEMBERED = 4L * 1024 * 1024;

  /** Characters of a library's text that are passed on. */
  private static final int LONGEST = 200;

  private static final Pattern DOT = Pattern.compile("\\.");

  private record Verified(Identity identity, Instant end, TokenKeys by) {}

  private final JwtConfig config;
  private final TokenKeySource source;
  private final InstantSource clock;
  private final Set<JWSAlgorithm> algorithms;
  private final DefaultJWTProcessor<SecurityContext> processor;
  private final Cache<String, Verified> verified =
      Caffeine.newBuilder()
          .maximumWeight(MOST_REMEMBERED)
          .weigher((String token, Verified _) -> token.length())
          .executor((Executor) Runnable::run)
          .build();

  JsonWebTokens(JwtConfig config, TokenKeySource source, InstantSource clock) {
    this.config = config;
    this.source = source;
    this.clock = clock;
    this.algorithms =
        config.algorithms().stream()
            .map(algorithm -> JWSAlgorithm.parse(algorithm.name()))
            .collect(Collectors.toUnmodifiableSet());
    this.processor = processor();
  }

  private DefaultJWTProcessor<SecurityContext> processor() {
    var checks = new DefaultJWTProcessor<SecurityContext>();
    checks.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(
            JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
    checks.setJWSKeySelector(
        new JWSVerificationKeySelector<>(
            algorithms, (selector, _) -> selector.select(source.keys().keys())));
    checks.setJWTClaimsSetVerifier(claims());
    return checks;
  }

  private JWTClaimsSetVerifier<SecurityContext> claims() {
    var claims =
        new DefaultJWTClaimsVerifier<SecurityContext>(
            new HashSet<>(config.audience()),
            new JWTClaimsSet.Builder().issuer(config.issuer()).build(),
            Set.of("sub", "exp"),
            null) {
          @Override
          protected Date currentTime() {
            return Date.from(clock.instant());
          }
        };
    claims.setMaxClockSkew(Math.toIntExact(config.clockSkew().toSeconds()));
    return claims;
  }

  /** Returns whether a text has the form of a token. */
  static boolean isToken(String text) {
    return text.startsWith("eyJ") && text.chars().filter(letter -> letter == '.').count() == 2;
  }

  /**
   * Finds whom a token was issued for.
   *
   * @throws InferenceException UNAUTHENTICATED if it is not valid; UNAVAILABLE if that cannot be
   *     said before keys are fetched
   */
  @SuppressWarnings("ReferenceEquality") // Changed keys are another object; comparing them costs.
  Identity identify(String token) {
    TokenKeys keys = source.keys();
    Verified known = verified.getIfPresent(token);
    if (known != null && known.by == keys && clock.instant().isBefore(known.end)) {
      return known.identity;
    }
    JWTClaimsSet claims = verify(token, keys);
    Identity identity = identity(claims);
    Instant end = end(claims).plus(config.clockSkew());
    verified.put(token, new Verified(identity, end, keys));
    return identity;
  }

  /** Returns the expiry of a token; a claim that is present may still be null. */
  private static Instant end(JWTClaimsSet claims) {
    Date end = claims.getExpirationTime();
    if (end == null) {
      throw BearerAuthenticator.refusal("the token names no time at which it expires");
    }
    return end.toInstant();
  }

  private JWTClaimsSet verify(String token, TokenKeys keys) {
    if (!isCanonical(token)) {
      throw BearerAuthenticator.refusal("the token is no signed JSON Web Token");
    }
    try {
      SignedJWT parsed = SignedJWT.parse(token);
      requireForm(parsed);
      requireKey(parsed, keys);
      return processor.process(parsed, null);
    } catch (ParseException e) {
      throw BearerAuthenticator.refusal("the token is no signed JSON Web Token");
    } catch (BadJOSEException e) {
      throw BearerAuthenticator.refusal("the token is not valid: " + cut(e));
    } catch (JOSEException e) {
      throw BearerAuthenticator.refusal("the token's signature cannot be checked");
    }
  }

  /**
   * Returns whether a token has the one spelling that its issuer gave it (RFC 7515, section 2): the
   * library skips padding, spaces and unused bits in a signature.
   */
  private static boolean isCanonical(String token) {
    try {
      for (String part : DOT.split(token, -1)) {
        byte[] bytes = Base64.getUrlDecoder().decode(part);
        if (!Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(part)) {
          return false;
        }
      }
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  /** The library takes numbers for subjects, and an empty list of what must be understood. */
  private static void requireForm(SignedJWT token) {
    Map<String, Object> claims = token.getPayload().toJSONObject();
    if (claims != null && claims.get("sub") != null && !(claims.get("sub") instanceof String)) {
      throw BearerAuthenticator.refusal("the token's subject is no text");
    }
    Set<String> critical = token.getHeader().getCriticalParams();
    if (critical != null && critical.isEmpty()) {
      throw BearerAuthenticator.refusal("the token's header crit is empty (RFC 7515, 4.1.11)");
    }
  }

  /** A key that is not known may be new. */
  private void requireKey(SignedJWT token, TokenKeys keys) {
    String keyId = token.getHeader().getKeyID();
    boolean known = keyId == null ? !keys.isEmpty() : keys.has(keyId);
    if (!known && algorithms.contains(token.getHeader().getAlgorithm()) && source.missing()) {
      throw new InferenceException(
          ErrorCode.UNAVAILABLE, "the keys of tokens are being fetched; try again");
    }
  }

  private static String cut(Exception e) {
    String text = String.valueOf(e.getMessage());
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }

  private Identity identity(JWTClaimsSet claims) {
    String subject = claims.getSubject();
    if (subject == null || subject.isEmpty()) {
      throw BearerAuthenticator.refusal("the token names no subject");
    }
    String[] roles = roles(claims).map(role -> "role:" + role).toArray(String[]::new);
    return Identity.authenticated("jwt:" + subject, roles);
  }

  private Stream<String> roles(JWTClaimsSet claims) {
    return switch (claim(claims.getClaims())) {
      case List<?> list -> list.stream().filter(String.class::isInstance).map(String.class::cast);
      case String text -> Stream.of(text.split(" ", -1)).filter(role -> !role.isEmpty());
      case null, default -> Stream.empty();
    };
  }

  /** Returns the claim of that very name, or else the one that lies in others. */
  private @Nullable Object claim(Map<String, Object> claims) {
    if (claims.containsKey(config.rolesClaim())) {
      return claims.get(config.rolesClaim());
    }
    Object found = claims;
    for (String name : DOT.split(config.rolesClaim(), -1)) {
      found = found instanceof Map<?, ?> inner ? inner.get(name) : null;
    }
    return found;
  }
}
