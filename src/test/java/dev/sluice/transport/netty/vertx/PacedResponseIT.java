package dev.sluice.transport.netty.vertx;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Backpressure of responses over real connections. */
@Timeout(60)
class PacedResponseIT {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    await(vertx.close());
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  /** Asks a server that answers like that. The whole body. */
  private String ask(HttpVersion version, Consumer<HttpServerResponse> answer) {
    var server = vertx.createHttpServer();
    server.requestHandler(request -> answer.accept(request.response().setChunked(true)));
    int port = await(server.listen(0, "localhost")).actualPort();
    var client =
        vertx.createHttpClient(
            new HttpClientOptions().setProtocolVersion(version).setHttp2ClearTextUpgrade(false));
    return await(
            client
                .request(HttpMethod.GET, port, "localhost", "/")
                .compose(request -> request.send().compose(HttpClientResponse::body)))
        .toString();
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
  void writesThatCompleteBehindTheEndMeetNoBackpressure(HttpVersion version) {
    Promise<Boolean> seen = Promise.promise();
    String body =
        ask(
            version,
            response -> {
              var paced = new PacedResponse(response);
              Future<Void> written = response.write("last");
              response.end();
              written.map(_ -> paced.isWriteQueueFull()).onComplete(seen);
            });
    assertThat(body).isEqualTo("last");
    assertThat(await(seen.future())).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
  void nobodyWaitsForAResponseThatHasEnded(HttpVersion version) {
    Promise<Boolean> open = Promise.promise();
    ask(
        version,
        response -> {
          var paced = new PacedResponse(response);
          response
              .end()
              .map(_ -> {
                paced.onWritable(() -> open.tryFail("the response has ended"));
                return paced.isOpen();
              })
              .onComplete(open);
        });
    assertThat(await(open.future())).isFalse();
  }
}
