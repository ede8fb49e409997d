package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.access.Operation;
import dev.sluice.testing.AccessRow;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.MatrixServer;
import dev.sluice.testing.RawGrpc;
import dev.sluice.transport.http.HttpRoute;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The matrix of rights knows every route and every method of the running server: one that is added
 * fails here until {@link AccessRow} says what a caller needs the right to.
 */
class EveryOperationIT {
  private static final ListenerConfig LISTENER = ListenerConfig.DEFAULT.withPort(0);
  private static final String MODEL = "half_plus_two";

  /** Those of the library: whatever is below these services asks for one operation. */
  private static final Set<String> STANDARD =
      Set.of(
          "grpc.health.v1.Health",
          "grpc.reflection.v1.ServerReflection",
          "grpc.reflection.v1alpha.ServerReflection");

  @TempDir private static Path folder;
  private static SluiceServer server;

  @BeforeAll
  static void start() throws IOException {
    server =
        SluiceServer.start(
            MatrixServer.settings(
                MatrixServer.models(folder), LISTENER, new SecurityConfig(List.of())));
    server.reconciled().toCompletionStage().toCompletableFuture().join();
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private static String key(String method, String path, Operation operation) {
    return method + " " + path + " " + operation;
  }

  /** A route without a method is a route of those that the matrix asks it by. */
  private static Stream<String> keys(HttpRoute route) {
    return Stream.of(route)
        .filter(any -> !any.method().isEmpty())
        .map(known -> key(known.method(), known.path(), known.operation()));
  }

  @Test
  void everyRouteHasARowAndEveryRowARoute() {
    Set<String> routes = new TreeSet<>();
    Set<String> anyMethod = new TreeSet<>();
    for (HttpRoute route : server.routes(LISTENER)) {
      keys(route).forEach(routes::add);
      if (route.method().isEmpty()) {
        anyMethod.add(key("", route.path(), route.operation()));
      }
    }
    Set<String> rows =
        rows().stream()
            .map(row -> key(row.method(), template(row.path()), row.operation()))
            .filter(row -> !anyMethod.contains(row.substring(row.indexOf(' '))))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(rows).isEqualTo(routes);
    Set<String> asked =
        rows().stream()
            .map(row -> key("", template(row.path()), row.operation()))
            .collect(Collectors.toSet());
    assertThat(asked).containsAll(anyMethod);
  }

  /** A model's own path comes and goes with the model. */
  private static List<AccessRow> rows() {
    return AccessRow.ALL.stream().filter(row -> !row.path().startsWith("/my/")).toList();
  }

  private static String template(String path) {
    return path.replaceAll("/+", "/")
        .replace(MODEL, "{model}")
        .replace(AccessRow.REGION, "{region}");
  }

  @Test
  void everyOperationHasARow() {
    Set<Operation> missing = EnumSet.allOf(Operation.class);
    AccessRow.HTTP.forEach(row -> missing.remove(row.operation()));
    missing.removeAll(AccessRow.GRPC.values());
    assertThat(missing).isEmpty();
  }

  @Test
  void everyMethodOfGrpcHasARow() {
    Map<String, Operation> rows = new TreeMap<>(AccessRow.GRPC);
    rows.keySet().removeIf(name -> STANDARD.contains(name.substring(0, name.indexOf('/'))));
    assertThat(rows).isEqualTo(server.methods(LISTENER));
  }

  @Test
  void everyRouteRefusesWhomNoPolicyNamesByItsOperation() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (HttpRoute route : server.routes(LISTENER)) {
      String method = route.method().isEmpty() ? "GET" : route.method();
      String answer =
          AnyListenerClient.ask(
              server.port(), method, route.path().replace("{model}", MODEL), "{}");
      if (!answer.startsWith("HTTP/1.1 403 ")
          || !(method.equals("HEAD") || names(answer, route.operation()))) {
        wrong.add(route + ": " + answer);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void everyMethodRefusesWhomNoPolicyNamesByItsOperation() {
    List<String> wrong = new ArrayList<>();
    try (var grpc = new RawGrpc(server.port())) {
      server
          .methods(LISTENER)
          .forEach((method, operation) -> {
            Status status = grpc.call(method);
            if (status.getCode() != Status.Code.PERMISSION_DENIED
                || !names(String.valueOf(status.getDescription()), operation)) {
              wrong.add(method + ": " + status);
            }
          });
    }
    assertThat(wrong).isEmpty();
  }

  /** It has no end for callers who may have it. */
  @Test
  void watchingHealthAsksForTheRightToHealth() {
    try (var grpc = new RawGrpc(server.port())) {
      Status status = grpc.call("grpc.health.v1.Health/Watch");
      assertThat(status.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(status.getDescription()).contains("operation 'health'");
    }
  }

  private static boolean names(String answer, Operation operation) {
    return answer.contains("operation '" + operation.text() + "'");
  }
}
