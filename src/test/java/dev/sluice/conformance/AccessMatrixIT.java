package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.ControlAccess;
import dev.sluice.config.ListenerConfig;
import dev.sluice.config.RepositoryConfig;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.WantedModels;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.RawGrpc;
import dev.sluice.testing.RunningServer;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What anonymous callers may do, by protocol, operation and kind of listener. */
class AccessMatrixIT {
  private static final String JSON = "{}";

  @TempDir private Path folder;

  /** Each kind has the same rights, wherever it binds, unless a setting says otherwise. */
  enum Kind {
    LOOPBACK(ControlAccess.POLICY, false),
    ALL_INTERFACES(ControlAccess.POLICY, false),
    UNIX_SOCKET(ControlAccess.POLICY, false),
    LOOPBACK_CLOSED(ControlAccess.NEVER, false),
    UNIX_SOCKET_CLOSED(ControlAccess.NEVER, false),
    LOOPBACK_OPEN(ControlAccess.OPEN, true),
    ALL_INTERFACES_OPEN(ControlAccess.OPEN, true),
    UNIX_SOCKET_OPEN(ControlAccess.OPEN, true);

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
  }

  /** A request, and whether it controls the server. */
  record Route(String method, String path, boolean controls) {}

  static final List<Route> HTTP =
      List.of(
          new Route("GET", "/", false),
          new Route("GET", "/metrics", false),
          new Route("GET", "/v1/models", false),
          new Route("GET", "/v1/models/half_plus_two", false),
          new Route("POST", "/v1/models/half_plus_two:predict", false),
          new Route("POST", "/v1/models/half_plus_two:explain", false),
          new Route("GET", "/v2", false),
          new Route("GET", "/v2/health/live", false),
          new Route("GET", "/v2/models", false),
          new Route("GET", "/v2/models/stats", false),
          new Route("GET", "/v2/models/half_plus_two/config", false),
          new Route("POST", "/v2/models/half_plus_two/infer", false),
          new Route("POST", "/v2/repository/index", false),
          new Route("POST", "/v2/repository/models/half_plus_two/load", true),
          new Route("POST", "/v2/repository/models/half_plus_two/unload", true),
          new Route("GET", "/v2/logging", true),
          new Route("POST", "/v2/logging", true),
          new Route("GET", "/v2/trace/setting", true),
          new Route("POST", "/v2/trace/setting", true),
          new Route("POST", "/v2/models/half_plus_two/trace/setting", true),
          new Route("GET", "/grps/v1/health/online", true),
          new Route("POST", "/grps/v1/health/offline", true),
          new Route("GET", "//grps//v1//health//online", true),
          new Route("GET", "/grps/v1/health/ready", false),
          new Route("GET", "/grps/v1/metadata/server", false),
          new Route("POST", "/grps/v1/infer/predict", false),
          new Route("GET", "/grps/v1/monitor/metrics", false));

  /** A method, and whether it controls the server. */
  static final Map<String, Boolean> GRPC =
      Map.ofEntries(
          Map.entry("tensorflow.serving.PredictionService/Predict", false),
          Map.entry("tensorflow.serving.PredictionService/GetModelMetadata", false),
          Map.entry("tensorflow.serving.ModelService/GetModelStatus", false),
          Map.entry("tensorflow.serving.ModelService/HandleReloadConfigRequest", true),
          Map.entry("inference.GRPCInferenceService/ServerLive", false),
          Map.entry("inference.GRPCInferenceService/ModelInfer", false),
          Map.entry("inference.GRPCInferenceService/RepositoryIndex", false),
          Map.entry("inference.GRPCInferenceService/RepositoryModelLoad", true),
          Map.entry("inference.GRPCInferenceService/RepositoryModelUnload", true),
          Map.entry("inference.GRPCInferenceService/LogSettings", true),
          Map.entry("inference.GRPCInferenceService/TraceSetting", true),
          Map.entry("grps.protos.v1.GrpsService/Predict", false),
          Map.entry("grps.protos.v1.GrpsService/CheckLiveness", false),
          Map.entry("grps.protos.v1.GrpsService/Online", true),
          Map.entry("grps.protos.v1.GrpsService/Offline", true),
          Map.entry("grpc.health.v1.Health/Check", false));

  private RunningServer start(Kind kind) {
    ListenerConfig free = ListenerConfig.DEFAULT.withPort(0).with(kind.control);
    ListenerConfig listener =
        switch (kind) {
          case LOOPBACK, LOOPBACK_CLOSED, LOOPBACK_OPEN -> free;
          case ALL_INTERFACES, ALL_INTERFACES_OPEN -> free.onHost("0.0.0.0");
          case UNIX_SOCKET, UNIX_SOCKET_CLOSED, UNIX_SOCKET_OPEN ->
              free.onSocket(folder.resolve("s"));
        };
    var wanted = new WantedModels(Path.of("src/sample/models"), Map.of());
    return RunningServer.start(
        SluiceConfig.DEFAULT.with(List.of(listener), RepositoryConfig.of(wanted, Duration.ZERO)));
  }

  @ParameterizedTest
  @EnumSource
  void httpDecidesByOperation(Kind kind) throws IOException {
    try (var server = start(kind)) {
      List<String> wrong = new ArrayList<>();
      for (Route route : HTTP) {
        String answer =
            kind.isSocket()
                ? AnyListenerClient.ask(folder.resolve("s"), route.method, route.path, JSON)
                : AnyListenerClient.ask(server.port(), route.method, route.path, JSON);
        boolean refused = answer.startsWith("HTTP/1.1 403 ");
        if (refused != (route.controls && !kind.mayControl)
            || answer.contains("internal error")
            || (refused && !answer.contains("'anonymous'") && !answer.contains("nobody"))) {
          wrong.add(route + ": " + answer);
        }
      }
      assertThat(wrong).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "UNIX_.*")
  void grpcDecidesByOperation(Kind kind) {
    try (var server = start(kind)) {
      try (var grpc = new RawGrpc(server.port())) {
        List<String> wrong = new ArrayList<>();
        GRPC.forEach((method, controls) -> {
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
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "UNIX_.*")
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
