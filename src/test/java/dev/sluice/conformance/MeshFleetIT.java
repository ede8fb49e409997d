package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.Envoy;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three servers behind a real Envoy with the configuration of the page about many machines. */
class MeshFleetIT {
  private static final Path EXAMPLE = Path.of("src/docs/reference/examples/envoy-fleet.yaml");
  private static final int SERVERS = 3;
  private static final Buffer ROW = Buffer.buffer("{\"instances\": [1.0]}");

  @TempDir private Path folder;
  private final List<RunningServer> servers = new ArrayList<>();
  private Envoy envoy;

  @BeforeAll
  static void install() throws Exception {
    Envoy.install();
  }

  @BeforeEach
  void open() throws IOException {
    Path models = folder.resolve("models");
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    String config =
        Files.readString(EXAMPLE)
            .replaceAll("port_value: (9901|10000)", "port_value: 0")
            .replace("address: 0.0.0.0", "address: 127.0.0.1")
            .replace("timeout: 1s", "timeout: 60s");
    for (int i = 1; i <= SERVERS; i++) {
      var server = RunningServer.start(models);
      servers.add(server);
      config =
          config.replace(
              "address: 10.0.0.1" + i + ", port_value: 8080",
              "address: 127.0.0.1, port_value: " + server.port());
    }
    envoy = Envoy.start(folder, config).awaitHealthy("servers", SERVERS);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    envoy.close();
    servers.forEach(RunningServer::close);
  }

  private static boolean wasAsked(RunningServer server) {
    try (var caller = new HttpCaller(server.port())) {
      return caller
          .send("GET", "/metrics", Buffer.buffer())
          .text()
          .contains("sluice_requests_total{");
    }
  }

  private static void ask(HttpCaller caller) {
    Answer answer = caller.send("POST", "/v1/models/half_plus_two:predict", ROW);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.headers().contains("endpoint-load-metrics")).isFalse();
  }

  @Test
  void everyServerIsAskedAndOneThatEndsLosesNoRequest() {
    try (var caller = new HttpCaller(envoy.port("fleet"))) {
      Polling.await(
          "each server was asked",
          () -> {
            ask(caller);
            return servers.stream().allMatch(MeshFleetIT::wasAsked);
          });
      servers.removeFirst().close();
      Polling.await(
          "Envoy leaves the first server out",
          () -> {
            ask(caller);
            return envoy.stat("cluster.servers.membership_healthy") == SERVERS - 1;
          });
      ask(caller);
    }
  }
}
