package dev.sluice.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.SelfSigned;
import dev.sluice.transport.connection.ConnectionDrain;
import dev.sluice.transport.netty.ConnectionInternals;
import dev.sluice.transport.netty.FlushCoalescing;
import dev.sluice.transport.netty.Http1Drain;
import dev.sluice.transport.netty.http2.Http2Drain;
import dev.sluice.transport.netty.http2.SocketAuthority;
import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A connection without one of the server's own handlers answers as before, only slower, or forgets
 * its limits: no other test would fail after Vert.x has changed its pipelines.
 */
@Timeout(60)
class InstalledHooksIT {
  @TempDir private static Path folder;
  private static Vertx vertx;
  private static SelfSigned identity;

  @BeforeAll
  static void start() {
    vertx = Vertx.vertx();
    identity = SelfSigned.create(folder, "server");
  }

  @AfterAll
  static void stop() {
    await(vertx.close());
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  private static EchoListener listen(boolean tls) {
    return new EchoListener(
        LimitsConfig.DEFAULT,
        tls
            ? Optional.of(new TlsConfig(identity.certificate(), identity.key(), Optional.empty()))
            : Optional.empty());
  }

  /** Opens a connection with one request, and returns the server's end of it. */
  private static HttpConnection connect(EchoListener listener, HttpClientOptions options) {
    var client = vertx.createHttpClient(options.setTrustAll(true).setVerifyHost(false));
    var target =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setHost("localhost")
            .setPort(listener.port())
            .setSsl(options.isSsl())
            .setURI("/echo");
    Buffer body =
        await(
            client
                .request(target)
                .compose(request ->
                    request.send(Buffer.buffer("hello")).compose(response -> response.body())));
    assertThat(body).hasToString("hello");
    return listener.connections().getLast();
  }

  private static List<String> handlers(HttpConnection connection) {
    return ConnectionInternals.context(connection).pipeline().toMap().values().stream()
        .map(ChannelHandler::getClass)
        .map(Class::getSimpleName)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void aConnectionOfHttp1HasAllHandlers(boolean tls) {
    try (EchoListener listener = listen(tls)) {
      HttpConnection connection =
          connect(
              listener,
              new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_1_1).setSsl(tls));
      assertThat(connection.protocolVersion()).isEqualTo(HttpVersion.HTTP_1_1);
      assertThat(handlers(connection))
          .startsWith("LingeringClose", "ConnectionGuard")
          .contains("UnusedConnectionDrain", "Http1HeadDecoder", "Http1ResponseEncoder")
          .doesNotContain("VertxHttpRequestDecoder", "VertxHttpResponseEncoder")
          .endsWith(
              "ZeroCopyBodyChunks", "Http1Drain", "Http1Progress", "Http1Memory", "VertxHandler");
    }
  }

  /** One that wishes for HTTP/2 in its first request is not given it. */
  @Test
  void upgradeToHttp2IsIgnored() {
    try (EchoListener listener = listen(false)) {
      HttpConnection connection =
          connect(
              listener,
              new HttpClientOptions()
                  .setProtocolVersion(HttpVersion.HTTP_2)
                  .setHttp2ClearTextUpgrade(true));
      assertThat(connection.protocolVersion()).isEqualTo(HttpVersion.HTTP_1_1);
      assertThat(handlers(connection))
          .doesNotContain("UpgradeHeaderRemover")
          .endsWith("VertxHandler");
    }
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void aConnectionOfHttp2HasAllHandlers(boolean tls) throws Exception {
    try (EchoListener listener = listen(tls)) {
      HttpConnection connection =
          connect(
              listener,
              new HttpClientOptions()
                  .setProtocolVersion(HttpVersion.HTTP_2)
                  .setHttp2ClearTextUpgrade(false)
                  .setUseAlpn(tls)
                  .setSsl(tls));
      assertThat(connection.protocolVersion()).isEqualTo(HttpVersion.HTTP_2);
      assertThat(handlers(connection))
          .contains("LingeringClose", "UnusedConnectionDrain")
          .startsWith("FlushCoalescingHandler");
      Http2ConnectionHandler http2 = ConnectionInternals.http2(connection).orElseThrow();
      assertThat(listeners(http2))
          .startsWith("Http2Drain", "Http2Guard", "Http2StreamMemory", "Http2Memory", "Http2Calls");
      assertThat(http2.decoder().flowController().getClass().getSimpleName())
          .isEqualTo("ReceiveFlowController");
    }
  }

  /** Those that look at a connection's frames, one after the other. */
  private static List<String> listeners(Http2ConnectionHandler http2) throws Exception {
    Field next = Http2FrameListenerDecorator.class.getDeclaredField("listener");
    next.setAccessible(true);
    List<String> names = new ArrayList<>();
    Object listener = http2.decoder().frameListener();
    while (listener instanceof Http2FrameListenerDecorator) {
      names.add(listener.getClass().getSimpleName());
      listener = next.get(listener);
    }
    return names;
  }

  @Test
  void aConnectionThatIsBuiltOtherwiseIsRefusedByName() {
    var unknown =
        (HttpConnection)
            Proxy.newProxyInstance(
                HttpConnection.class.getClassLoader(),
                new Class<?>[] {HttpConnection.class},
                (_, method, _) -> {
                  throw new UnsupportedOperationException(method.getName());
                });
    var drain = new ConnectionDrain(Duration.ZERO);
    List<Consumer<HttpConnection>> hooks =
        List.of(
            FlushCoalescing::join,
            FlushCoalescing::joinPieces,
            connection -> Http1Drain.join(connection, drain),
            Http2Drain::join,
            SocketAuthority::join);
    for (Consumer<HttpConnection> hook : hooks) {
      assertThatThrownBy(() -> hook.accept(unknown))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("this version of Vert.x is not known", "ConnectionBase");
    }
  }
}
