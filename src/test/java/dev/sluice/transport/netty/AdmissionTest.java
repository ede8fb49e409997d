package dev.sluice.transport.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.transport.connection.ConnectionCount;
import dev.sluice.transport.connection.ConnectionDrain;
import dev.sluice.transport.connection.ConnectionMemory;
import dev.sluice.transport.connection.RequestMemory;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AdmissionTest {
  private static final String REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private final Vertx vertx =
      Vertx.builder().withTransport(new ProtocolDetectionTransport(Transport.NIO)).build();
  private final ConnectionCount connections =
      new ConnectionCount("test", 0, 0, new ConnectionMemory(1 << 20), System::nanoTime);

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void whoConnectsBeforeTheListenerIsGuardedIsCountedAndServedOnceItIs() throws IOException {
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(request -> request.response().end(connections.open() + " open"))
            .listen(SocketAddress.inetSocketAddress(0, "localhost"))
            .toCompletionStage()
            .toCompletableFuture()
            .join();
    try (var client = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
      client.getOutputStream().write(REQUEST.getBytes(US_ASCII));
      ProtocolDetectionTransport.admit(
          vertx,
          SocketAddress.inetSocketAddress(server.actualPort(), "localhost"),
          new ProtocolDetectionTransport.Admission(
              connections,
              new ConnectionDrain(Duration.ofSeconds(1)),
              LimitsConfig.DEFAULT,
              new RequestMemory(new MemoryBudget(1 << 20), false, System::nanoTime)));
      var answer = new byte[1 << 10];
      int length = client.getInputStream().read(answer);
      assertThat(new String(answer, 0, length, US_ASCII))
          .startsWith("HTTP/1.1 200")
          .contains("1 open");
    }
  }
}
