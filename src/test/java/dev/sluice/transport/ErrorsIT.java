package dev.sluice.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * An error of the JVM in the middle of a call: its caller is answered, and the server is not live.
 */
class ErrorsIT {
  @Test
  void overHttpItIsAnsweredAndFailsLiveness() {
    try (var listener = new EchoListener(LimitsConfig.DEFAULT)) {
      assertThat(listener.liveness().problem()).isEmpty();
      HttpClientResponse answer = post(listener, HttpVersion.HTTP_1_1, "/error");
      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(listener.liveness().problem()).get().asString().contains("StackOverflowError");
    }
  }

  @Test
  void overGrpcItIsAnsweredAndFailsLiveness() {
    try (var listener = new EchoListener(LimitsConfig.DEFAULT)) {
      HttpClientResponse answer = post(listener, HttpVersion.HTTP_2, "/test.Echo/Error");
      assertThat(answer.getHeader("grpc-status")).isEqualTo("13");
      assertThat(listener.liveness().problem()).get().asString().contains("StackOverflowError");
    }
  }

  @Test
  void anExceptionLeavesTheServerLive() {
    try (var listener = new EchoListener(LimitsConfig.DEFAULT)) {
      HttpClientResponse answer = post(listener, HttpVersion.HTTP_2, "/test.Echo/Fail");
      assertThat(answer.getHeader("grpc-status")).isEqualTo("13");
      assertThat(listener.liveness().problem()).isEmpty();
    }
  }

  private static HttpClientResponse post(EchoListener listener, HttpVersion version, String path) {
    Vertx vertx = Vertx.vertx();
    var options =
        new HttpClientOptions().setProtocolVersion(version).setHttp2ClearTextUpgrade(false);
    HttpClient client = vertx.createHttpClient(options);
    CompletableFuture<HttpClientResponse> answer = new CompletableFuture<>();
    try {
      var request = new RequestOptions().setMethod(HttpMethod.POST).setURI(path);
      request.setHost("localhost").setPort(listener.port());
      if (version == HttpVersion.HTTP_2) {
        request.putHeader("content-type", "application/grpc");
      }
      client
          .request(request)
          .compose(open -> open.send(Buffer.buffer(new byte[5])))
          .onComplete(answer::complete, answer::completeExceptionally);
      return answer.join();
    } finally {
      // A client that nothing refers to any more may be closed at any time: keep it until here.
      client.close();
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }
}
