package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.RestrictedApi;
import dev.sluice.config.security.RestrictedApi.Group;
import dev.sluice.config.security.RestrictedApi.Wire;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.access.Operation;
import dev.sluice.testing.AccessRow;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.MatrixServer;
import dev.sluice.testing.RawGrpc;
import dev.sluice.testing.RunningServer;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups of calls that need a header, with the codes and texts of Triton. */
class RestrictedApiIT {
  private static final String HTTP_TEXT = "This API is restricted, expecting header 'http-key'";
  private static final String GRPC_TEXT =
      "This protocol is restricted, expecting header 'triton-grpc-protocol-key'";
  private static final String LOAD = "/v2/repository/models/half_plus_two/load";

  /** What no group holds. */
  private static final Set<Operation> FREE = EnumSet.of(Operation.METRICS, Operation.REFLECTION);

  @TempDir private static Path folder;
  private static Path models;
  private static RunningServer server;

  @BeforeAll
  static void start() throws IOException {
    models = MatrixServer.models(folder);
    server = start(ControlAccess.POLICY, EnumSet.allOf(Group.class));
  }

  private static RunningServer start(ControlAccess control, Set<Group> groups) {
    var restricted =
        List.of(
            new RestrictedApi(Wire.HTTP, groups, "http-key", "secret"),
            new RestrictedApi(Wire.GRPC, groups, "triton-grpc-protocol-key", "hidden"));
    return RunningServer.start(
        MatrixServer.settings(
            models,
            ListenerConfig.DEFAULT.withPort(0).with(control),
            SecurityConfig.DEFAULT.withRestricted(restricted)));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String http(RunningServer to, AccessRow row, String... headers)
      throws IOException {
    return AnyListenerClient.ask(to.port(), row.method(), row.path(), "{}", headers);
  }

  private static Metadata metadata(String name, String value) {
    var metadata = new Metadata();
    metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    return metadata;
  }

  @Test
  void everyRestrictedRouteNeedsItsHeader() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (AccessRow row : AccessRow.ALL) {
      for (String header :
          List.of("X: y", "http-key: Secret", "triton-grpc-protocol-key: hidden")) {
        String answer = http(server, row, header);
        boolean refused =
            answer.startsWith("HTTP/1.1 403 ")
                && (row.method().equals("HEAD") || answer.contains(HTTP_TEXT));
        if (refused == FREE.contains(row.operation())) {
          wrong.add(row + " " + header + ": " + answer);
        }
      }
      String allowed = http(server, row, "HTTP-Key: secret");
      if (allowed.startsWith("HTTP/1.1 403 ") || allowed.contains("internal error")) {
        wrong.add(row + ": " + allowed);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void everyRestrictedMethodNeedsItsHeader() {
    List<String> wrong = new ArrayList<>();
    try (var grpc = new RawGrpc(server.port())) {
      AccessRow.GRPC.forEach((method, operation) -> {
        for (Metadata other :
            List.of(
                new Metadata(),
                metadata("http-key", "secret"),
                metadata("triton-grpc-protocol-key", "no"))) {
          Status status = grpc.call(method, other);
          boolean refused =
              status.getCode() == Status.Code.UNAVAILABLE
                  && GRPC_TEXT.equals(status.getDescription());
          if (refused == FREE.contains(operation)) {
            wrong.add(method + ": " + status);
          }
        }
        Status allowed = grpc.call(method, metadata("triton-grpc-protocol-key", "hidden"));
        if (allowed.getCode() == Status.Code.PERMISSION_DENIED
            || GRPC_TEXT.equals(allowed.getDescription())) {
          wrong.add(method + ": " + allowed);
        }
      });
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void groupsAreThoseOfTriton() throws IOException {
    try (var some = start(ControlAccess.POLICY, Set.of(Group.HEALTH, Group.MODEL_CONFIG))) {
      String model = "/v2/models/half_plus_two";
      for (String path : List.of("/v2/health/live", model + "/ready", model + "/config")) {
        assertThat(AnyListenerClient.ask(some.port(), "GET", path, "")).contains(HTTP_TEXT);
      }
      for (String path : List.of("/v2", model, model + "/stats", "/metrics")) {
        assertThat(AnyListenerClient.ask(some.port(), "GET", path, "")).startsWith("HTTP/1.1 200 ");
      }
      assertThat(AnyListenerClient.ask(some.port(), "POST", LOAD, "{}", "http-key: secret"))
          .startsWith("HTTP/1.1 403 ")
          .contains("'anonymous'");
    }
  }

  @Test
  void noHeaderOpensWhatIsClosedForAll() throws IOException {
    try (var closed = start(ControlAccess.NEVER, EnumSet.allOf(Group.class))) {
      assertThat(AnyListenerClient.ask(closed.port(), "POST", LOAD, "{}", "http-key: secret"))
          .startsWith("HTTP/1.1 403 ")
          .contains("no caller");
    }
  }
}
