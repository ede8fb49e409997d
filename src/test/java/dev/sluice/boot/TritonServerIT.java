package dev.sluice.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.HttpCaller;
import io.vertx.core.buffer.Buffer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The command of the distribution, with a start line as people have it. */
@Timeout(120)
class TritonServerIT {
  private static final Path COMMAND = Path.of("target/sluice/bin/sluice");

  @Test
  void aStartLineOfTritonServes() throws Exception {
    List<Integer> ports = freePorts();
    var process =
        new ProcessBuilder(
                COMMAND.toString(),
                "tritonserver",
                "--model-store=src/test/models/oip",
                "--model-repository=src/test/models/oip_ensembles",
                "--http-address=localhost",
                "--grpc-address=localhost",
                "--http-port=" + ports.get(0),
                "--grpc-port",
                String.valueOf(ports.get(1)),
                "--metrics-port=" + ports.get(2),
                "--model-control-mode=explicit",
                "--load-model=two",
                "--strict-model-config=false")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (var out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      String line = out.readLine();
      while (line != null && !line.startsWith("two")) {
        line = out.readLine();
      }
      assertThat(line).contains("available");
      ask(ports);
    } finally {
      process.destroy();
    }
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  private static void ask(List<Integer> ports) {
    try (var http = new HttpCaller(ports.get(0));
        var grpc = new HttpCaller(ports.get(1));
        var metrics = new HttpCaller(ports.get(2))) {
      assertThat(http.send("GET", "/v2/health/ready", Buffer.buffer()).status()).isEqualTo(200);
      assertThat(http.send("POST", "/v2/repository/models/ens/load", Buffer.buffer()).status())
          .isEqualTo(200);
      assertThat(grpc.send("GET", "/v2/models/addsub/ready", Buffer.buffer()).status())
          .isEqualTo(200);
      assertThat(metrics.send("GET", "/metrics", Buffer.buffer()).text()).contains("sluice_");
    }
  }

  private static List<Integer> freePorts() throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      var socket = new ServerSocket(0);
      sockets.add(socket);
      ports.add(socket.getLocalPort());
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return ports;
  }
}
