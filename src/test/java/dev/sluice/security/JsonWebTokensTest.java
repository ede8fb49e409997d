package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class JsonWebTokensTest {
  private static final Instant NOW = Issuer.NOW;

  private final Issuer issuer = Issuer.of("first");
  private TokenKeys keys = TokenKeys.parse("test", Issuer.jwks(issuer));
  private Instant now = NOW;
  private boolean fetching;
  private int missed;
  private final JsonWebTokens tokens =
      new JsonWebTokens(
          Issuer.CONFIG,
          new TokenKeySource() {
            @Override
            public TokenKeys keys() {
              return keys;
            }

            @Override
            public boolean missing() {
              missed++;
              return fetching;
            }
          },
          () -> now);

  private Identity identify(Consumer<JWTClaimsSet.Builder> changes) {
    return tokens.identify(issuer.token(NOW, changes));
  }

  private void assertRefused(String token, String why) {
    assertThatThrownBy(() -> tokens.identify(token))
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED))
        .hasMessageContaining(why);
  }

  private void assertRefused(Consumer<JWTClaimsSet.Builder> changes, String why) {
    assertRefused(issuer.token(NOW, changes), why);
  }

  @Test
  void theSubjectIsTheIdentity() {
    assertThat(identify(_ -> {}).names()).containsExactly("jwt:alice", "authenticated");
  }

  @Test
  void rolesComeFromTheirClaim() {
    assertThat(identify(claims -> claims.claim("roles", List.of("ops", "ci"))).names())
        .contains("role:ops", "role:ci");
    assertThat(identify(claims -> claims.claim("roles", "ops ci")).names())
        .contains("role:ops", "role:ci");
    assertThat(identify(claims -> claims.claim("roles", Map.of("ops", 1))).names())
        .containsExactly("jwt:alice", "authenticated");
    assertThat(identify(claims -> claims.claim("other", List.of("ops"))).names())
        .doesNotContain("role:ops");
  }

  @Test
  void aTokenEndsWithTheSkewAfterItsTime() {
    String token = issuer.token(NOW, _ -> {});
    now = NOW.plusSeconds(89);
    assertThat(tokens.identify(token).name()).isEqualTo("jwt:alice");
    now = NOW.plusSeconds(91);
    assertRefused(token, "Expired");
  }

  @Test
  void aTokenBeginsWithTheSkewBeforeItsTime() {
    assertRefused(claims -> claims.notBeforeTime(Date.from(NOW.plusSeconds(40))), "before");
    assertThat(identify(claims -> claims.notBeforeTime(Date.from(NOW.plusSeconds(20)))).name())
        .isEqualTo("jwt:alice");
  }

  @Test
  void claimsMustBeThoseOfTheSettings() {
    assertRefused(claims -> claims.audience("other"), "aud");
    assertRefused(claims -> claims.audience(List.of()), "aud");
    assertRefused(claims -> claims.issuer("https://other.example"), "iss");
    assertRefused(claims -> claims.expirationTime(null), "exp");
    assertRefused(claims -> claims.subject(null), "sub");
    assertRefused(claims -> claims.subject(""), "subject");
    assertThat(identify(claims -> claims.audience(List.of("other", "sluice"))).name())
        .isEqualTo("jwt:alice");
  }

  @Test
  void aTokenWithoutASignatureIsRefused() {
    assertRefused(new PlainJWT(Issuer.claims(NOW).build()).serialize(), "no signed");
  }

  @Test
  void aPublicKeyIsNoSecret() throws Exception {
    byte[] secret = Issuer.jwks(issuer).getBytes(StandardCharsets.UTF_8);
    var forged =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("first").build(),
            Issuer.claims(NOW).build());
    forged.sign(new MACSigner(secret));
    assertRefused(forged.serialize(), "not valid");
  }

  @Test
  void anAlgorithmThatTheSettingsDoNotNameIsRefused() throws Exception {
    var key = new RSAKeyGenerator(2048).keyID("rsa").generate();
    keys = TokenKeys.parse("test", "{\"keys\":[" + key.toPublicJWK().toJSONString() + "]}");
    for (var algorithm : Set.of(JWSAlgorithm.RS512, JWSAlgorithm.PS256, JWSAlgorithm.RS256)) {
      var token =
          new SignedJWT(
              new JWSHeader.Builder(algorithm).keyID("rsa").build(), Issuer.claims(NOW).build());
      token.sign(new RSASSASigner(key));
      if (algorithm.equals(JWSAlgorithm.RS256)) {
        assertThat(tokens.identify(token.serialize()).name()).isEqualTo("jwt:alice");
      } else {
        assertRefused(token.serialize(), "not valid");
      }
    }
  }

  @Test
  void anotherKeyOfTheSameNameIsRefused() {
    assertRefused(Issuer.of("first").token(NOW, _ -> {}), "signature");
  }

  @Test
  void aChangedTokenIsRefused() {
    String[] parts = issuer.token(NOW, _ -> {}).split("\\.", -1);
    String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
    String other =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(claims.replace("alice", "admin").getBytes(StandardCharsets.UTF_8));
    assertRefused(parts[0] + "." + other + "." + parts[2], "signature");
    assertRefused(parts[0] + "." + parts[1] + ".", "no signed");
    assertRefused("eyJ.eyJ.x", "no signed");
  }

  @Test
  void aTokenHasOneSpelling() {
    String token = issuer.token(NOW, _ -> {});
    int signature = token.lastIndexOf('.') + 1;
    String letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    // Of 64 bytes the last letter has two bits, and four that are unused.
    char last = letters.charAt(letters.indexOf(token.charAt(token.length() - 1)) ^ 1);
    for (String other :
        List.of(
            token + "=",
            token + "==",
            token + " ",
            token + "\n",
            token.substring(0, signature) + " " + token.substring(signature),
            token.substring(0, signature + 9) + "=" + token.substring(signature + 9),
            token.substring(0, signature + 9) + " " + token.substring(signature + 9),
            token.substring(0, token.length() - 1) + last)) {
      assertRefused(other, "no signed");
    }
    assertThat(tokens.identify(token).name()).isEqualTo("jwt:alice");
  }

  @Test
  void aTokenBringsNoKeyOfItsOwn() throws Exception {
    Issuer attacker = Issuer.of("first");
    var elsewhere = URI.create("http://127.0.0.1:1/keys");
    for (var header :
        List.of(
            new JWSHeader.Builder(JWSAlgorithm.ES256).jwk(attacker.key().toPublicJWK()),
            new JWSHeader.Builder(JWSAlgorithm.ES256).jwkURL(elsewhere),
            new JWSHeader.Builder(JWSAlgorithm.ES256).x509CertURL(elsewhere),
            new JWSHeader.Builder(JWSAlgorithm.ES256)
                .x509CertChain(List.of(com.nimbusds.jose.util.Base64.encode(new byte[9]))))) {
      for (String name : List.of("first", "../../etc/passwd", "http://127.0.0.1:1/", "' OR 1=1")) {
        var token = new SignedJWT(header.keyID(name).build(), Issuer.claims(NOW).build());
        token.sign(new ECDSASigner(attacker.key()));
        assertThatThrownBy(() -> tokens.identify(token.serialize()))
            .isInstanceOfSatisfying(
                InferenceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
      }
    }
  }

  @Test
  void timesAreNumbersOfSeconds() throws Exception {
    for (String exp : List.of("\"tomorrow\"", "\"4102444800\"", "-1", "0", "{}", "[]", "null")) {
      String claims =
          Issuer.claims(NOW).build().toString().replaceFirst("\"exp\":[0-9]+", "\"exp\":" + exp);
      assertThat(claims).contains(exp);
      var token =
          new JWSObject(
              new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("first").build(),
              new Payload(claims));
      token.sign(new ECDSASigner(issuer.key()));
      assertThatThrownBy(() -> tokens.identify(token.serialize()))
          .as(exp)
          .isInstanceOfSatisfying(
              InferenceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
    }
  }

  @Test
  void aTokenWithinATokenIsRefused() throws Exception {
    var outer =
        new JWSObject(
            new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("first").contentType("JWT").build(),
            new Payload(issuer.token(NOW, _ -> {})));
    outer.sign(new ECDSASigner(issuer.key()));
    assertThatThrownBy(() -> tokens.identify(outer.serialize()))
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
  }

  @Test
  void anExtensionThatMustBeUnderstoodIsRefused() throws Exception {
    var token =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.ES256)
                .keyID("first")
                .criticalParams(Set.of("odd"))
                .customParam("odd", 1)
                .build(),
            Issuer.claims(NOW).build());
    token.sign(new ECDSASigner(issuer.key()));
    assertRefused(token.serialize(), "not valid");
  }

  @Test
  void anEmptyListOfWhatMustBeUnderstoodIsRefused() throws Exception {
    Base64URL head = Base64URL.encode("{\"alg\":\"ES256\",\"kid\":\"first\",\"crit\":[]}");
    Base64URL claims = Issuer.claims(NOW).build().toPayload().toBase64URL();
    byte[] signed = (head + "." + claims).getBytes(StandardCharsets.US_ASCII);
    var header = new JWSHeader.Builder(JWSAlgorithm.ES256).build();
    Base64URL signature = new ECDSASigner(issuer.key()).sign(header, signed);
    assertRefused(head + "." + claims + "." + signature, "crit is empty");
  }

  @Test
  void aSubjectThatIsANumberIsRefused() throws Exception {
    var token =
        new JWSObject(
            new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("first").build(),
            new Payload(Map.of("sub", 5, "exp", NOW.plusSeconds(60).getEpochSecond())));
    token.sign(new ECDSASigner(issuer.key()));
    assertRefused(token.serialize(), "subject is no text");
  }

  @Test
  void aKeyThatIsTakenAwayTakesItsTokensWithIt() {
    String token = issuer.token(NOW, _ -> {});
    assertThat(tokens.identify(token).name()).isEqualTo("jwt:alice");
    keys = TokenKeys.parse("test", Issuer.jwks(Issuer.of("second")));
    assertRefused(token, "not valid");
  }

  @Test
  void aKeyThatIsNotKnownIsLookedFor() {
    Issuer second = Issuer.of("second");
    String token = second.token(NOW, _ -> {});
    fetching = true;
    assertThatThrownBy(() -> tokens.identify(token))
        .isInstanceOfSatisfying(
            InferenceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    keys = TokenKeys.parse("test", Issuer.jwks(issuer, second));
    assertThat(tokens.identify(token).name()).isEqualTo("jwt:alice");
    assertThat(missed).isEqualTo(1);
  }
}
