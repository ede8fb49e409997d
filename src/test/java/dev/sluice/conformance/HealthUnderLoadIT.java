package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.boot.SluiceServer;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ServerLiveRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerReadyRequest;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.testing.RecordCopy;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A probe is answered whatever load takes: memory, and the connections of its listener. */
@Timeout(120)
class HealthUnderLoadIT {
  private static final Path SAMPLES = Path.of("src/sample/models");
  private static final int CONNECTIONS = 2;

  private static SluiceConfig settings() {
    ListenerConfig listener = ListenerConfig.DEFAULT.withPort(0);
    var limits =
        new LimitsConfig(
            1 << 20, 1 << 20, 1 << 20, Duration.ZERO, Duration.ofMinutes(1), CONNECTIONS);
    SluiceConfig config =
        SluiceConfig.DEFAULT.with(
            List.of(listener, listener),
            RepositoryConfig.of(new DesiredModels(SAMPLES, Map.of()), Duration.ZERO));
    return RecordCopy.with(
        RecordCopy.with(config, "limits", RecordCopy.with(limits, "memory", 8L << 20)),
        "process.startup.warmUp",
        Duration.ZERO);
  }

  @Test
  void healthIsAnsweredWithoutMemoryAndOnAListenerOfItsOwnWithoutConnections() throws Exception {
    try (SluiceServer server = SluiceServer.start(settings());
        var kept = new Socket("localhost", server.port())) {
      server.reconciled().toCompletionStage().toCompletableFuture().join();
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
      try (var load = server.memory().account()) {
        load.force(Kind.BODY, server.memory().limit());
        isHealthy(kept);
        isHealthy(channel);
        assertThat(server.memory().free(1)).isZero();
        isRefused(server.port());
        isHealthy(kept);
        isHealthy(channel);
        try (var probe = new Socket("localhost", port(server.addresses().get(1)))) {
          isHealthy(probe);
        }
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  private static void isHealthy(Socket connection) throws IOException {
    for (String check : List.of("live", "ready")) {
      String head = "GET /v2/health/" + check + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
      connection.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      assertThat(head(connection.getInputStream())).as(check).startsWith("HTTP/1.1 200");
    }
  }

  /** The head of an answer without a body. */
  private static String head(InputStream in) throws IOException {
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      assertThat(next).as("after %s", head).isNotNegative();
      head.append((char) next);
    }
    return head.toString();
  }

  private static void isHealthy(ManagedChannel channel) {
    var stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    assertThat(stub.serverLive(ServerLiveRequest.getDefaultInstance()).getLive()).isTrue();
    assertThat(stub.serverReady(ServerReadyRequest.getDefaultInstance()).getReady()).isTrue();
  }

  private static void isRefused(int port) throws IOException {
    try (var one = new Socket("localhost", port)) {
      one.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(one.getInputStream().read()).isNegative();
    } catch (SocketException e) {
      assertThat(e).hasMessageContaining("reset");
    }
  }
}
