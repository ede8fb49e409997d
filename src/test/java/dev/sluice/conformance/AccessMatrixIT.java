package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.access.Operation;
import dev.sluice.testing.AccessMatrix;
import dev.sluice.testing.AccessMatrix.Verdict;
import dev.sluice.testing.AccessRow;
import dev.sluice.testing.AccessWire;
import dev.sluice.testing.MatrixServer;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SelfSigned;
import dev.sluice.testing.TlsClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  @TempDir private static Path settings;

  private static SelfSigned own;
  private static SelfSigned alice;
  private static Path models;

  @TempDir private Path folder;

  @BeforeAll
  static void prepare() throws IOException {
    own = SelfSigned.create(settings, "server");
    alice = SelfSigned.createFor(settings, "alice", "alice", "dns:alice.example");
    models = MatrixServer.models(settings);
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
          case ALL_INTERFACES, ALL_INTERFACES_OPEN -> RecordCopy.with(free, "host", "0.0.0.0");
          case UNIX_SOCKET, UNIX_SOCKET_CLOSED, UNIX_SOCKET_OPEN ->
              free.onSocket(folder.resolve("s"));
          case TLS_CLIENTS, TLS_CLIENTS_OPEN ->
              free.withTls(
                  Optional.of(
                      new TlsConfig(
                          own.certificate(), own.key(), Optional.of(alice.certificate()))));
          case ADMIN -> withAdmin().getLast();
        };
    return RunningServer.start(MatrixServer.settings(models, listener, SecurityConfig.DEFAULT));
  }

  private AccessWire wire(Kind kind, RunningServer server) throws Exception {
    if (kind.isEncrypted()) {
      return AccessWire.to(server.port(), new TlsClient(own, alice));
    }
    return kind.isSocket() ? AccessWire.to(folder.resolve("s")) : AccessWire.to(server.port());
  }

  @ParameterizedTest
  @EnumSource
  void everyProtocolDecidesByOperation(Kind kind) throws Exception {
    try (var server = start(kind);
        AccessWire wire = wire(kind, server)) {
      assertThat(AccessMatrix.wrong(wire, operation -> verdict(kind, operation))).isEmpty();
      if (!kind.mayControl) {
        expectName(kind, wire);
      }
    }
  }

  private static Verdict verdict(Kind kind, Operation operation) {
    return operation.isControl() && !kind.mayControl ? Verdict.DENIED : Verdict.ALLOWED;
  }

  private static void expectName(Kind kind, AccessWire wire) throws Exception {
    String name = kind.control.never() ? "no caller" : kind.identity();
    assertThat(wire.ask(new AccessRow("POST", "/v2/logging", Operation.LOGGING))).contains(name);
    assertThat(wire.grpc("inference.GRPCInferenceService/LogSettings").getDescription())
        .contains(name);
  }
}
