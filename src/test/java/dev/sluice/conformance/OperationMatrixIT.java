package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sluice.config.ListenerConfig;
import dev.sluice.config.RepositoryConfig;
import dev.sluice.config.SecurityConfig;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.WantedModels;
import dev.sluice.inference.Operation;
import dev.sluice.testing.AccessRow;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.RawGrpc;
import dev.sluice.testing.RunningServer;
import dev.sluice.transport.http.HttpFace;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A server without any policy refuses each row of the access matrix by the operation it names. */
class OperationMatrixIT {
  private static RunningServer server;

  @BeforeAll
  static void start() {
    server =
        RunningServer.start(
            SluiceConfig.DEFAULT
                .with(
                    List.of(ListenerConfig.DEFAULT.withPort(0)),
                    RepositoryConfig.of(
                        new WantedModels(Path.of("src/sample/models"), Map.of()), Duration.ZERO))
                .with(new SecurityConfig(List.of())));
  }

  @AfterAll
  static void close() {
    server.close();
  }

  @Test
  void everyOperationHasARow() {
    Set<Operation> missing = EnumSet.allOf(Operation.class);
    AccessRow.HTTP.forEach(row -> missing.remove(row.operation()));
    missing.removeAll(AccessRow.GRPC.values());
    assertThat(missing).isEmpty();
  }

  @Test
  void everyFaceOverHttpIsKnownHere() {
    List<String> faces =
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.sluice")
                .stream()
                .filter(type -> type.isAssignableTo(HttpFace.class) && !type.isInterface())
                .map(JavaClass::getSimpleName)
                .toList();
    // One that is added needs rows in AccessRow. The paths of models' own code are not known here.
    assertThat(faces)
        .containsExactlyInAnyOrder(
            "ConsoleFace",
            "GrpsHttpFace",
            "MetricsFace",
            "OipHttpFace",
            "OwnPathsFace",
            "V1Routes");
  }

  @Test
  void httpRefusesByTheOperationOfTheRow() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (AccessRow row : AccessRow.HTTP) {
      String answer = AnyListenerClient.ask(server.port(), row.method(), row.path(), "{}");
      if (!answer.startsWith("HTTP/1.1 403 ") || !names(answer, row.operation())) {
        wrong.add(row + ": " + answer);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void grpcRefusesByTheOperationOfTheMethod() {
    List<String> wrong = new ArrayList<>();
    try (var grpc = new RawGrpc(server.port())) {
      AccessRow.GRPC.forEach((method, operation) -> {
        Status status = grpc.call(method);
        if (status.getCode() != Status.Code.PERMISSION_DENIED
            || !names(String.valueOf(status.getDescription()), operation)) {
          wrong.add(method + ": " + status);
        }
      });
    }
    assertThat(wrong).isEmpty();
  }

  private static boolean names(String answer, Operation operation) {
    return answer.contains("operation '" + operation.text() + "'");
  }
}
