package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.security.ApiKeysConfig;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.JwtConfig;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.PolicyConfig.Role;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.access.Operation;
import dev.sluice.security.Issuer;
import dev.sluice.testing.AccessMatrix;
import dev.sluice.testing.AccessMatrix.Verdict;
import dev.sluice.testing.AccessWire;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.MatrixServer;
import dev.sluice.testing.RunningServer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What callers may do by protocol, operation and credential, where anonymous ones may do nothing,
 * those who are authenticated all but control, and operators everything.
 */
class CredentialMatrixIT {
  private static final String CI = "0123456789abcdef-ci";
  private static final String OPS = "0123456789abcdef-ops";
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private static final Issuer ISSUER = Issuer.of("first");
  private static final Issuer NEXT = Issuer.of("second");
  private static final Vertx VERTX = Vertx.vertx();

  private static volatile String jwks = Issuer.jwks(ISSUER);
  @TempDir private static Path folder;
  private static HttpServer issuer;
  private static RunningServer server;

  /** A credential, and what it is good for. */
  enum Credential {
    NONE(Right.NOTHING),
    KEY(Right.USE),
    OPERATORS_KEY(Right.ALL),
    WRONG_KEY(Right.REFUSED),
    TOKEN(Right.USE),
    OPERATORS_TOKEN(Right.ALL),
    EXPIRED_TOKEN(Right.REFUSED),
    EARLY_TOKEN(Right.REFUSED),
    OTHER_AUDIENCE(Right.REFUSED),
    OTHER_ISSUER(Right.REFUSED),
    OTHER_SIGNER(Right.REFUSED);

    private final Right right;

    Credential(Right right) {
      this.right = right;
    }

    String bearer() {
      Instant now = Instant.now();
      return switch (this) {
        case NONE -> "";
        case KEY -> CI;
        case OPERATORS_KEY -> OPS;
        case WRONG_KEY -> "0123456789abcdef-no";
        case TOKEN -> ISSUER.token(now, _ -> {});
        case OPERATORS_TOKEN -> ISSUER.token(now, claims -> claims.claim("roles", "operator"));
        case EXPIRED_TOKEN ->
            ISSUER.token(now, claims -> claims.expirationTime(Date.from(now.minusSeconds(60))));
        case EARLY_TOKEN ->
            ISSUER.token(now, claims -> claims.notBeforeTime(Date.from(now.plusSeconds(55))));
        case OTHER_AUDIENCE -> ISSUER.token(now, claims -> claims.audience("other"));
        case OTHER_ISSUER -> ISSUER.token(now, claims -> claims.issuer("https://other.example"));
        case OTHER_SIGNER -> Issuer.of("first").token(now, _ -> {});
      };
    }
  }

  private enum Right {
    REFUSED,
    NOTHING,
    USE,
    ALL;

    Verdict of(Operation operation) {
      boolean allowed = this == ALL || (this == USE && !operation.isControl());
      if (this == REFUSED) {
        return Verdict.UNAUTHENTICATED;
      }
      return allowed ? Verdict.ALLOWED : Verdict.DENIED;
    }
  }

  @BeforeAll
  static void start() throws IOException {
    issuer =
        VERTX
            .createHttpServer()
            .requestHandler(request -> request.response().end(jwks))
            .listen(0, "localhost")
            .await();
    server =
        RunningServer.start(
            MatrixServer.settings(
                MatrixServer.models(folder),
                ListenerConfig.DEFAULT.withPort(0).with(ControlAccess.POLICY),
                security()));
    awaitKeys(Credential.TOKEN.bearer());
  }

  private static SecurityConfig security() {
    var rules =
        List.of(
            rule("authenticated", Role.INFERENCE, Role.METADATA, Role.METRICS),
            rule("key:ops", Role.CONTROL, Role.ADMIN, Role.SHARED_MEMORY),
            rule("role:operator", Role.CONTROL, Role.ADMIN, Role.SHARED_MEMORY));
    var keys = ApiKeysConfig.parse(Path.of("keys"), "ci: " + CI + "\nops: " + OPS);
    JwtConfig jwt = Issuer.CONFIG;
    return new SecurityConfig(
        rules,
        new ApiKeysConfig(keys, Optional.empty()),
        new JwtConfig(
            jwt.keys(),
            Optional.of(URI.create("http://localhost:" + issuer.actualPort() + "/jwks")),
            Duration.ofMillis(100),
            jwt.issuer(),
            jwt.audience(),
            jwt.algorithms(),
            jwt.clockSkew(),
            jwt.rolesClaim()),
        SecurityConfig.DEFAULT.share());
  }

  private static PolicyConfig rule(String identity, Role... roles) {
    return new PolicyConfig(List.of(identity), Set.of(roles), List.of(), List.of());
  }

  @AfterAll
  static void close() {
    server.close();
    VERTX.close().await();
  }

  private static String live(String token) throws IOException {
    return AnyListenerClient.ask(
        server.port(), "GET", "/v2/health/live", "", "Authorization: Bearer " + token);
  }

  private static void awaitKeys(String token) throws IOException {
    Instant end = Instant.now().plus(TIMEOUT);
    while (!live(token).startsWith("HTTP/1.1 200 ")) {
      assertThat(Instant.now()).isBefore(end);
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyProtocolDecidesByCredential(Credential credential) throws Exception {
    try (AccessWire wire = AccessWire.to(server.port()).presenting(credential.bearer())) {
      assertThat(AccessMatrix.wrong(wire, credential.right::of)).isEmpty();
    }
  }

  @Test
  void keysOfTokensRotateWithoutARefusalOfThoseThatAreValid() throws IOException {
    String old = ISSUER.token(Instant.now(), _ -> {});
    String next = NEXT.token(Instant.now(), _ -> {});
    try {
      jwks = Issuer.jwks(ISSUER, NEXT);
      awaitKeys(next);
      assertThat(live(old)).startsWith("HTTP/1.1 200 ");
      jwks = Issuer.jwks(NEXT);
      Instant end = Instant.now().plus(TIMEOUT);
      while (live(old).startsWith("HTTP/1.1 200 ")) {
        assertThat(Instant.now()).isBefore(end);
        Thread.onSpinWait();
      }
      assertThat(live(next)).startsWith("HTTP/1.1 200 ");
    } finally {
      jwks = Issuer.jwks(ISSUER);
      awaitKeys(Credential.TOKEN.bearer());
    }
  }
}
