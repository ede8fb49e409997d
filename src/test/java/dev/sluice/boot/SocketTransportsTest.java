package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.SocketTransport;
import io.vertx.core.Vertx;
import io.vertx.core.transport.Transport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SocketTransportsTest {
  @ParameterizedTest
  @EnumSource(SocketTransport.class)
  void whateverIsAskedForSomethingIsChosenThatWorksHere(SocketTransport wanted) {
    Transport chosen = SocketTransports.choose(wanted);
    assertThat(chosen.available()).isTrue();
    Vertx vertx = Vertx.builder().withTransport(chosen).build();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void theJdksOwnReplacesOneThatIsMissing() {
    assertThat(SocketTransports.orNio("carrier pigeon", null, true)).isSameAs(Transport.NIO);
  }

  @Test
  void theJdksOwnIsChosenWhenItIsAskedFor() {
    assertThat(SocketTransports.choose(SocketTransport.NIO)).isSameAs(Transport.NIO);
  }
}
