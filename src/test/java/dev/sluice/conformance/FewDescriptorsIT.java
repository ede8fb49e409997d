package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.Polling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server whose clients take all file descriptors that it may have. Its other clients speak
 * HTTP/2, so that each has one connection.
 */
@Timeout(120)
class FewDescriptorsIT {
  private static final int LEFT = 20;
  private static final int CLIENTS = 2 * LEFT;
  private static final String FAILURES = "sluice_connections_accept_failures_total{";

  private final int port = ChildServer.freePort();

  @Test
  void connectionsThatAreOpenAreServedAndOthersWaitUntilThereAreDescriptors(@TempDir Path models)
      throws Exception {
    LoopModel.write(models, "loop");
    List<Socket> clients = new ArrayList<>();
    try (var server =
            ChildServer.start("serve", "--models=" + models, "--listen=localhost:" + port);
        var held = HttpClient.newHttpClient()) {
      server.awaitModel("loop/1");
      // Here classes come from folders, each in a file of its own.
      assertThat(predict(held)).isEqualTo(200);
      assertThat(failures(held)).isZero();
      leave(LEFT, server.pid());
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(new Socket(InetAddress.getLoopbackAddress(), port));
      }
      server.awaitLine("connections wait that cannot be accepted");
      assertThat(predict(held)).isEqualTo(200);
      Polling.await("a count of it", () -> failures(held) > 0);
      for (Socket client : clients) {
        client.close();
      }
      try (var later = HttpClient.newHttpClient()) {
        assertThat(predict(later)).isEqualTo(200);
      }
    }
  }

  /** Lets a process open no more than so many descriptors besides those that it has. */
  private static void leave(int more, long pid) throws IOException, InterruptedException {
    long open;
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      open = descriptors.count();
    }
    String limit = "--nofile=" + (open + more);
    var limiting = new ProcessBuilder("prlimit", limit, "--pid", Long.toString(pid)).start();
    assertThat(limiting.waitFor()).isZero();
  }

  private int predict(HttpClient client) {
    var body = BodyPublishers.ofString("{\"inputs\":{\"steps\":1}}");
    return send(client, request("/v1/models/loop:predict").POST(body)).statusCode();
  }

  private double failures(HttpClient client) {
    return send(client, request("/metrics"))
        .body()
        .lines()
        .filter(line -> line.startsWith(FAILURES))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request) {
    try {
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
