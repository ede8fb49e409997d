package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.PolicyConfig.Role;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.RawGrpc;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SelfSigned;
import dev.sluice.testing.TlsClient;
import io.grpc.Status;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who shows a certificate of the listener's authorities is known by what is in it. */
class ClientCertificatesIT {
  private static final String PREDICT = "/v1/models/half_plus_two:predict";
  private static final String LOAD = "/v2/repository/models/half_plus_two/load";
  private static final String RELOAD = "tensorflow.serving.ModelService/HandleReloadConfigRequest";
  private static final String INFER = "inference.GRPCInferenceService/ModelInfer";

  @TempDir private static Path folder;

  private static SelfSigned own;
  private static SelfSigned alice;
  private static SelfSigned ops;
  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    own = SelfSigned.create(folder, "server");
    alice = SelfSigned.createFor(folder, "alice", "alice", "dns:alice.example");
    ops =
        SelfSigned.createFor(
            folder, "ops", "somebody", "dns:ops.example,uri:spiffe://example.org/ops");
    Path authorities =
        Files.writeString(
            folder.resolve("authorities.pem"),
            Files.readString(alice.certificate()) + Files.readString(ops.certificate()));
    ListenerConfig plain = ListenerConfig.DEFAULT.withPort(0);
    var listener =
        new ListenerConfig(
            plain.host(),
            0,
            plain.protocols(),
            plain.v1(),
            plain.metricsPath(),
            plain.control(),
            false,
            Optional.of(new TlsConfig(own.certificate(), own.key(), Optional.of(authorities))));
    server =
        RunningServer.start(
            SluiceConfig.DEFAULT
                .with(
                    List.of(listener),
                    RepositoryConfig.of(
                        new DesiredModels(Path.of("src/sample/models"), Map.of()), Duration.ZERO))
                .with(
                    new SecurityConfig(
                        List.of(
                            rule("anonymous", Role.METADATA),
                            rule("dns:alice.*", Role.INFERENCE),
                            rule("cert:CN=alice", Role.METRICS),
                            rule("spiffe://example.org/*", Role.CONTROL)))));
  }

  private static PolicyConfig rule(String identity, Role role) {
    return new PolicyConfig(List.of(identity), Set.of(role), List.of(), List.of());
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private static HttpClient browser(SelfSigned identity) throws GeneralSecurityException {
    return new TlsClient(own, identity).http();
  }

  private static HttpResponse<String> ask(HttpClient browser, Version version, String path)
      throws Exception {
    return browser.send(
        HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + path))
            .version(version)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"instances\":[2.0]}"))
            .build(),
        BodyHandlers.ofString());
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void httpKnowsClientsByTheirCertificates(Version version) throws Exception {
    try (HttpClient browser = browser(alice)) {
      assertThat(ask(browser, version, PREDICT).statusCode()).isEqualTo(200);
      HttpResponse<String> refused = ask(browser, version, LOAD);
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body()).contains("'cert:CN=alice'");
    }
    try (HttpClient browser = browser(ops)) {
      assertThat(ask(browser, version, PREDICT).statusCode()).isEqualTo(403);
      assertThat(ask(browser, version, LOAD).statusCode()).isNotEqualTo(403);
    }
  }

  @Test
  void grpcKnowsClientsByTheirCertificates() throws Exception {
    try (var grpc = grpc(alice)) {
      assertThat(grpc.call(INFER).getCode()).isNotEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(grpc.call(RELOAD).getDescription()).contains("'cert:CN=alice'");
    }
    try (var grpc = grpc(ops)) {
      assertThat(grpc.call(INFER).getDescription()).contains("'cert:CN=somebody'");
      assertThat(grpc.call(RELOAD).getCode()).isNotEqualTo(Status.Code.PERMISSION_DENIED);
    }
  }

  private static RawGrpc grpc(SelfSigned identity) throws IOException {
    return new TlsClient(own, identity).grpc(server.port());
  }
}
