package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.ApiKeysConfig;
import dev.sluice.config.security.JwtConfig;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.PolicyConfig.Role;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.RawGrpc;
import dev.sluice.testing.RunningServer;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * API keys by every protocol: anonymous callers have metadata, a key inference, another control.
 */
class ApiKeysIT {
  private static final String CI = "0123456789abcdef-ci";
  private static final String OPS = "0123456789abcdef-ops";
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final String PREDICT = "/v1/models/half_plus_two:predict";
  private static final String INSTANCES = "{\"instances\":[2.0]}";
  private static final String UNLOAD = "/v2/repository/models/half_plus_two/unload";

  @TempDir private Path folder;
  private Path file;
  private RunningServer server;

  @BeforeEach
  void start() throws IOException {
    file = Files.writeString(folder.resolve("keys"), "ci: " + CI + "\nops: " + OPS + "\n");
    var rules =
        List.of(
            rule("anonymous", Role.METADATA),
            rule("authenticated", Role.INFERENCE),
            rule("key:op*", Role.CONTROL));
    server =
        RunningServer.start(
            SluiceConfig.DEFAULT
                .with(
                    List.of(ListenerConfig.DEFAULT.withPort(0)),
                    RepositoryConfig.of(
                        new DesiredModels(Path.of("src/sample/models"), Map.of()), Duration.ZERO))
                .with(
                    new SecurityConfig(
                        rules,
                        new ApiKeysConfig(List.of(), Optional.of(file)),
                        JwtConfig.DEFAULT)));
  }

  private static PolicyConfig rule(String identity, Role role) {
    return new PolicyConfig(List.of(identity), Set.of(role), List.of(), List.of());
  }

  @AfterEach
  void close() {
    server.close();
  }

  private String ask(String path, String... headers) throws IOException {
    String answer = AnyListenerClient.ask(server.port(), "POST", path, INSTANCES, headers);
    return answer.substring("HTTP/1.1 ".length());
  }

  @ParameterizedTest
  @CsvSource({
    "Authorization: Bearer 0123456789abcdef-ci, 200",
    "X-API-Key: 0123456789abcdef-ci, 200",
    "X-Other: 0123456789abcdef-ci, 403",
    "Authorization: Bearer 0123456789abcdef-CI, 401",
    "Authorization: Basic 0123456789abcdef-ci, 401",
    "X-API-Key:, 401",
    "X-API-Key: wrong, 401",
  })
  void httpKnowsCallersByTheirKeys(String header, String status) throws IOException {
    assertThat(ask(PREDICT, header)).startsWith(status);
  }

  @Test
  void aRefusalAsksForACredentialAndShowsNone() throws IOException {
    assertThat(ask(PREDICT, "X-API-Key: something-secret"))
        .startsWith("401 ")
        .containsIgnoringCase("\r\nwww-authenticate: Bearer realm=\"sluice\"\r\n")
        .contains("the API key is not known")
        .doesNotContain("something");
  }

  @Test
  void aWrongKeyIsNotEvenAnonymous() throws IOException {
    assertThat(
            AnyListenerClient.ask(server.port(), "GET", "/v2/health/live", "", "X-API-Key: wrong"))
        .startsWith("HTTP/1.1 401 ");
    assertThat(AnyListenerClient.ask(server.port(), "GET", "/v2/health/live", ""))
        .startsWith("HTTP/1.1 200 ");
  }

  @Test
  void controlNeedsTheRightKey() throws IOException {
    assertThat(ask(UNLOAD, "X-API-Key: " + CI)).startsWith("403 ").contains("'key:ci'");
    assertThat(ask(UNLOAD, "X-API-Key: " + OPS)).doesNotStartWith("40");
  }

  @Test
  void grpcKnowsCallersByTheirKeys() {
    try (var grpc = new RawGrpc(server.port())) {
      String infer = "inference.GRPCInferenceService/ModelInfer";
      assertThat(grpc.call(infer).getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(grpc.call(infer, header("x-api-key", "wrong")).getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(grpc.call(infer, header("authorization", "Bearer wrong")).getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(grpc.call(infer, header("authorization", "Bearer " + CI)).getCode())
          .isNotIn(Status.Code.UNAUTHENTICATED, Status.Code.PERMISSION_DENIED);
      assertThat(grpc.call("grpc.health.v1.Health/Check", header("x-api-key", "wrong")).getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);
    }
  }

  private static Metadata header(String name, String value) {
    var headers = new Metadata();
    headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    return headers;
  }

  @Test
  void brpcKnowsCallersByTheirKeys() throws IOException {
    try (var client = new BrpcClient(server.port())) {
      var predict = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Predict", 1);
      assertThat(client.ask(predict, new byte[0]).errorText()).contains("'anonymous'");
      assertThat(client.ask(predict.from("wrong"), new byte[0]).errorText())
          .isEqualTo("the API key is not known");
      assertThat(client.ask(predict.from(CI), new byte[0]).errorCode()).isNotEqualTo(1004);
      assertThat(client.ask(predict.from("Bearer " + CI), new byte[0]).errorCode())
          .isNotEqualTo(1004);
    }
  }

  @Test
  void brpcRefusesTwoCredentialsOfARequestAndNoOther() throws IOException {
    try (var client = new BrpcClient(server.port())) {
      var predict = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Predict", 1);
      for (List<String> several :
          List.of(
              List.of("wrong", CI),
              List.of(CI, "wrong"),
              List.of(CI, CI),
              List.of("", CI),
              List.of(CI, CI, CI))) {
        client.send(BrpcClient.frame(predict.meta(several), new byte[0]));
        BrpcClient.Answer answer = client.answer();
        assertThat(answer.errorText())
            .as("%s", several)
            .isEqualTo("the request has several authentication_data; wanted one");
        assertThat(answer.errorCode()).isEqualTo(1004);
      }
      assertThat(client.ask(predict.from(CI), new byte[0]).errorCode()).isNotEqualTo(1004);
    }
  }

  @Test
  void aKeyThatIsReplacedInTheFileIsReplacedInTheServer() throws IOException {
    Files.writeString(file, "broken");
    assertThat(ask(PREDICT, "X-API-Key: " + CI)).startsWith("200 ");
    Files.writeString(file, "ci: 0123456789abcdef-new\n");
    awaitStatus("200 ", "X-API-Key: 0123456789abcdef-new");
    assertThat(ask(PREDICT, "X-API-Key: " + CI)).startsWith("401 ");
  }

  private void awaitStatus(String status, String header) throws IOException {
    Instant end = Instant.now().plus(TIMEOUT);
    while (!ask(PREDICT, header).startsWith(status)) {
      assertThat(Instant.now()).isBefore(end);
      Thread.onSpinWait();
    }
  }
}
