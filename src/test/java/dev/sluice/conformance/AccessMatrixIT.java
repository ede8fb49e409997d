package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.ControlAccess;
import dev.sluice.config.ListenerConfig;
import dev.sluice.config.RepositoryConfig;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.TlsConfig;
import dev.sluice.config.WantedModels;
import dev.sluice.testing.AccessRow;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.RawGrpc;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SelfSigned;
import dev.sluice.testing.TlsClient;
import io.grpc.Status;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What anonymous callers may do, by protocol, operation and kind of listener. */
class AccessMatrixIT {
  private static final String JSON = "{}";

  @TempDir private static Path settings;

  private static SelfSigned own;
  private static SelfSigned alice;

  @TempDir private Path folder;

  @BeforeAll
  static void certify() {
    own = SelfSigned.create(settings, "server");
    alice = SelfSigned.createFor(settings, "alice", "alice", "dns:alice.example");
  }

  /** Each kind has the same rights, wherever it binds, unless a setting says otherwise. */
  enum Kind {
    LOOPBACK(ControlAccess.POLICY, false),
    ALL_INTERFACES(ControlAccess.POLICY, false),
    UNIX_SOCKET(ControlAccess.POLICY, false),
    LOOPBACK_CLOSED(ControlAccess.NEVER, false),
    UNIX_SOCKET_CLOSED(ControlAccess.NEVER, false),
    LOOPBACK_OPEN(ControlAccess.OPEN, true),
    ALL_INTERFACES_OPEN(ControlAccess.OPEN, true),
    UNIX_SOCKET_OPEN(ControlAccess.OPEN, true),
    /** A certificate that no rule names gives no more than none. */
    TLS_CLIENTS(ControlAccess.POLICY, false),
    TLS_CLIENTS_OPEN(ControlAccess.OPEN, true),
    /** Has its rights from the settings' reader. */
    ADMIN(ControlAccess.POLICY, true);

    @SuppressWarnings("ImmutableEnumChecker") // The set inside cannot be changed.
    private final ControlAccess control;

    private final boolean mayControl;

    Kind(ControlAccess control, boolean mayControl) {
      this.control = control;
      this.mayControl = mayControl;
    }

    boolean isSocket() {
      return name().startsWith("UNIX");
    }

    boolean isEncrypted() {
      return name().startsWith("TLS");
    }

    String identity() {
      return isEncrypted() ? "'cert:CN=alice'" : "'anonymous'";
    }
  }

  private static List<ListenerConfig> withAdmin() throws IOException {
    Path file = Files.writeString(settings.resolve("sluice.yml"), "admin: localhost:0\n");
    return new SluiceConfigReader(_ -> {}).read(Optional.of(file), Map.of(), List.of()).listeners();
  }

  @Test
  void anAdminListenerIsThereOnlyIfASettingSaysSo() throws IOException {
    var defaults = new SluiceConfigReader(_ -> {}).read(Optional.empty(), Map.of(), List.of());
    assertThat(defaults.listeners())
        .allMatch(listener -> listener.control().equals(ControlAccess.POLICY));
    assertThat(withAdmin())
        .hasSize(defaults.listeners().size() + 1)
        .last()
        .returns(ControlAccess.OPEN, ListenerConfig::control);
  }

  private RunningServer start(Kind kind) throws IOException {
    ListenerConfig free = ListenerConfig.DEFAULT.withPort(0).with(kind.control);
    ListenerConfig listener =
        switch (kind) {
          case LOOPBACK, LOOPBACK_CLOSED, LOOPBACK_OPEN -> free;
          case ALL_INTERFACES, ALL_INTERFACES_OPEN -> free.onHost("0.0.0.0");
          case UNIX_SOCKET, UNIX_SOCKET_CLOSED, UNIX_SOCKET_OPEN ->
              free.onSocket(folder.resolve("s"));
          case TLS_CLIENTS, TLS_CLIENTS_OPEN ->
              free.withTls(
                  Optional.of(
                      new TlsConfig(
                          own.certificate(), own.key(), Optional.of(alice.certificate()))));
          case ADMIN -> withAdmin().getLast();
        };
    var wanted = new WantedModels(Path.of("src/sample/models"), Map.of());
    return RunningServer.start(
        SluiceConfig.DEFAULT.with(List.of(listener), RepositoryConfig.of(wanted, Duration.ZERO)));
  }

  @ParameterizedTest
  @EnumSource
  void httpDecidesByOperation(Kind kind) throws Exception {
    try (var server = start(kind)) {
      List<String> wrong = new ArrayList<>();
      for (AccessRow row : AccessRow.HTTP) {
        String answer = ask(kind, server, row);
        boolean refused = answer.startsWith("HTTP/1.1 403 ");
        if (refused != (row.controls() && !kind.mayControl)
            || answer.contains("internal error")
            || (refused && !answer.contains(kind.identity()) && !answer.contains("nobody"))) {
          wrong.add(row + ": " + answer);
        }
      }
      assertThat(wrong).isEmpty();
    }
  }

  private String ask(Kind kind, RunningServer server, AccessRow row) throws Exception {
    if (kind.isEncrypted()) {
      return askEncrypted(server.port(), row);
    }
    return kind.isSocket()
        ? AnyListenerClient.ask(folder.resolve("s"), row.method(), row.path(), JSON)
        : AnyListenerClient.ask(server.port(), row.method(), row.path(), JSON);
  }

  private static String askEncrypted(int port, AccessRow row) throws Exception {
    try (HttpClient client = new TlsClient(own, alice).http()) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(URI.create("https://localhost:" + port + row.path()))
                  .version(HttpClient.Version.HTTP_1_1)
                  .header("Content-Type", "application/json")
                  .method(
                      row.method(),
                      row.method().equals("POST")
                          ? BodyPublishers.ofString(JSON)
                          : BodyPublishers.noBody())
                  .build(),
              BodyHandlers.ofString());
      return "HTTP/1.1 " + answer.statusCode() + " " + answer.body();
    }
  }

  private static RawGrpc grpc(Kind kind, int port) throws IOException {
    return kind.isEncrypted() ? new TlsClient(own, alice).grpc(port) : new RawGrpc(port);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "UNIX_.*")
  void grpcDecidesByOperation(Kind kind) throws IOException {
    try (var server = start(kind)) {
      try (RawGrpc grpc = grpc(kind, server.port())) {
        List<String> wrong = new ArrayList<>();
        AccessRow.GRPC.forEach((method, operation) -> {
          boolean controls = operation.role().isControl();
          Status status = grpc.call(method);
          boolean refused = status.getCode() == Status.Code.PERMISSION_DENIED;
          if (refused != (controls && !kind.mayControl)
              || status.getCode() == Status.Code.UNIMPLEMENTED) {
            wrong.add(method + ": " + status);
          }
        });
        assertThat(wrong).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.MATCH_NONE,
      names = {"UNIX_.*", "TLS_.*"})
  void brpcDecidesByOperation(Kind kind) throws IOException {
    try (var server = start(kind);
        var client = new BrpcClient(server.port())) {
      assertThat(error(client, "Predict")).isNotEqualTo(1004);
      assertThat(error(client, "CheckLiveness")).isNotEqualTo(1004);
      assertThat(error(client, "ServerMetadata")).isNotEqualTo(1004);
      assertThat(error(client, "Online")).isEqualTo(kind.mayControl ? 0 : 1004);
      assertThat(error(client, "Offline")).isEqualTo(kind.mayControl ? 0 : 1004);
    }
  }

  private static int error(BrpcClient client, String method) throws IOException {
    return client
        .ask(new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", method, 1), new byte[0])
        .errorCode();
  }
}
