package dev.sluice.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.EchoListener;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A face that requires no operation gives nothing away. */
class UnguardedHandlerIT {
  @ParameterizedTest
  @ValueSource(strings = {"/unguarded", "/unguarded/body"})
  void isAnsweredAsABugIs(String path) throws IOException {
    try (var listener = new EchoListener(LimitsConfig.DEFAULT)) {
      assertThat(AnyListenerClient.ask(listener.port(), "POST", path, "{}"))
          .startsWith("HTTP/1.1 500 ")
          .endsWith("{\"error\":\"internal error\"}");
    }
  }

  @Test
  void handlerThatRequiresAnOperationAnswers() throws IOException {
    try (var listener = new EchoListener(LimitsConfig.DEFAULT)) {
      assertThat(AnyListenerClient.ask(listener.port(), "POST", "/echo", "{}"))
          .startsWith("HTTP/1.1 200 ")
          .endsWith("{}");
    }
  }
}
