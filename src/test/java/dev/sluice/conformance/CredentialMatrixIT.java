package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.ApiKeysConfig;
import dev.sluice.config.ControlAccess;
import dev.sluice.config.JwtConfig;
import dev.sluice.config.ListenerConfig;
import dev.sluice.config.PolicyConfig;
import dev.sluice.config.PolicyConfig.Role;
import dev.sluice.config.RepositoryConfig;
import dev.sluice.config.SecurityConfig;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.WantedModels;
import dev.sluice.security.Issuer;
import dev.sluice.testing.AccessRow;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.RawGrpc;
import dev.sluice.testing.RunningServer;
import io.grpc.Metadata;
import io.grpc.Status;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What callers may do by protocol, operation and credential, where anonymous ones may do nothing,
 * those who are authenticated all but control, and operators everything.
 */
class CredentialMatrixIT {
  private static final String CI = "0123456789abcdef-ci";
  private static final String OPS = "0123456789abcdef-ops";
  private static final Pattern GRPC_STATUS = Pattern.compile("grpc-status: ?([0-9]+)");
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final Issuer ISSUER = Issuer.of("first");
  private static final Issuer NEXT = Issuer.of("second");
  private static final Vertx VERTX = Vertx.vertx();

  private static volatile String jwks = Issuer.jwks(ISSUER);
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

    boolean allows(boolean controls) {
      return this == ALL || (this == USE && !controls);
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
            SluiceConfig.DEFAULT
                .with(
                    List.of(ListenerConfig.DEFAULT.withPort(0).with(ControlAccess.POLICY)),
                    RepositoryConfig.of(
                        new WantedModels(Path.of("src/sample/models"), Map.of()), Duration.ZERO))
                .with(security()));
    awaitKeys(Credential.TOKEN.bearer());
  }

  private static SecurityConfig security() {
    var rules =
        List.of(
            rule("authenticated", Role.INFERENCE, Role.METADATA, Role.METRICS),
            rule("key:ops", Role.CONTROL, Role.ADMIN),
            rule("role:operator", Role.CONTROL, Role.ADMIN));
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
    Instant end = Instant.now().plus(PATIENCE);
    while (!live(token).startsWith("HTTP/1.1 200 ")) {
      assertThat(Instant.now()).isBefore(end);
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @EnumSource
  void httpDecidesByCredential(Credential credential) throws IOException {
    String bearer = credential.bearer();
    String header = bearer.isEmpty() ? "X-Nothing: 1" : "Authorization: Bearer " + bearer;
    List<String> wrong = new ArrayList<>();
    for (AccessRow route : AccessRow.HTTP) {
      String answer =
          AnyListenerClient.ask(server.port(), route.method(), route.path(), "{}", header);
      String status = answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length());
      boolean right =
          switch (credential.right) {
            case REFUSED -> status.equals("401");
            case NOTHING, USE, ALL ->
                status.equals("403") != credential.right.allows(route.controls())
                    && !status.equals("401");
          };
      if (!right || answer.contains("internal error")) {
        wrong.add(route + ": " + answer);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void grpcDecidesByCredential(Credential credential) {
    var metadata = new Metadata();
    if (credential != Credential.NONE) {
      metadata.put(
          Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
          "Bearer " + credential.bearer());
    }
    List<String> wrong = new ArrayList<>();
    try (var grpc = new RawGrpc(server.port())) {
      AccessRow.GRPC.forEach((method, operation) -> {
        boolean controls = operation.role().isControl();
        Status.Code code = grpc.call(method, metadata).getCode();
        boolean right =
            switch (credential.right) {
              case REFUSED -> code == Status.Code.UNAUTHENTICATED;
              case NOTHING, USE, ALL ->
                  (code == Status.Code.PERMISSION_DENIED) != credential.right.allows(controls)
                      && code != Status.Code.UNAUTHENTICATED;
            };
        if (!right) {
          wrong.add(method + ": " + code);
        }
      });
    }
    assertThat(wrong).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void grpcWebDecidesByCredential(Credential credential) throws Exception {
    List<String> wrong = new ArrayList<>();
    try (HttpClient browser = HttpClient.newHttpClient()) {
      for (var method : AccessRow.GRPC.entrySet()) {
        int code = grpcWeb(browser, method.getKey(), credential);
        boolean allowed = credential.right.allows(method.getValue().role().isControl());
        boolean right =
            switch (credential.right) {
              case REFUSED -> code == Status.Code.UNAUTHENTICATED.value();
              case NOTHING, USE, ALL ->
                  (code == Status.Code.PERMISSION_DENIED.value()) != allowed
                      && code >= 0
                      && code != Status.Code.UNAUTHENTICATED.value();
            };
        if (!right) {
          wrong.add(method + ": " + code);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Sends an empty message. The status, from the header or the trailers in the body. */
  private static int grpcWeb(HttpClient browser, String method, Credential credential)
      throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(server.url() + "/" + method))
            .header("Content-Type", "application/grpc-web+proto")
            .POST(BodyPublishers.ofByteArray(new byte[5]));
    if (credential != Credential.NONE) {
      request.header("Authorization", "Bearer " + credential.bearer());
    }
    HttpResponse<String> answer =
        browser.send(request.build(), BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
    Matcher trailer = GRPC_STATUS.matcher(answer.body());
    return Integer.parseInt(
        trailer.find()
            ? trailer.group(1)
            : answer.headers().firstValue("grpc-status").orElse("-1"));
  }

  @ParameterizedTest
  @EnumSource
  void brpcDecidesByCredential(Credential credential) throws IOException {
    try (var client = new BrpcClient(server.port())) {
      for (var method : Map.of("Predict", false, "Online", true).entrySet()) {
        var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", method.getKey(), 1);
        var answer =
            client.ask(
                credential == Credential.NONE ? call : call.from(credential.bearer()), new byte[0]);
        assertThat(answer.errorCode() != 1004)
            .as(method + ": " + answer.errorText())
            .isEqualTo(credential.right.allows(method.getValue()));
      }
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
      Instant end = Instant.now().plus(PATIENCE);
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
