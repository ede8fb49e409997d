package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JwksEndpointTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Duration NEVER = Duration.ofHours(1);

  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicLong nanos = new AtomicLong();
  private volatile int status = 200;
  private volatile String body = Issuer.jwks(Issuer.of("first"));
  private HttpServer server;

  @BeforeEach
  void listen() {
    server =
        vertx
            .createHttpServer()
            .requestHandler(request -> {
              asked.incrementAndGet();
              request.response().setStatusCode(status).end(body);
            })
            .listen(0, "localhost")
            .await();
  }

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private JwksEndpoint address(Duration refresh) {
    var address =
        new JwksEndpoint(
            vertx,
            URI.create("http://localhost:" + server.actualPort() + "/keys"),
            refresh,
            nanos::get);
    await(() -> !address.missing());
    assertThat(address.keys().has("first")).isTrue();
    return address;
  }

  private static void await(BooleanSupplier condition) {
    Instant end = Instant.now().plus(TIMEOUT);
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).isBefore(end);
      Thread.onSpinWait();
    }
  }

  @Test
  void keysAreFetchedTimeAfterTime() {
    try (var address = address(Duration.ofMillis(20))) {
      body = Issuer.jwks(Issuer.of("second"));
      await(() -> address.keys().has("second"));
      assertThat(address.keys().has("first")).isFalse();
    }
  }

  @Test
  void aMissingKeyIsFetchedAtOnceAndNotAgainAndAgain() {
    try (var address = address(NEVER)) {
      body = Issuer.jwks(Issuer.of("second"));
      nanos.addAndGet(JwksEndpoint.BACK_OFF.toNanos());
      // It may have ended before this says so.
      address.missing();
      await(() -> address.keys().has("second"));
      await(() -> !address.missing());
      assertThat(address.missing()).isFalse();
      assertThat(asked).hasValue(2);
    }
  }

  @Test
  void keysStayWhileTheAddressGivesNone() {
    try (var address = address(Duration.ofMillis(20))) {
      status = 500;
      fetchMore(address);
      status = 200;
      body = "<html>";
      fetchMore(address);
      body = "x".repeat(1024 * 1024 + 1);
      fetchMore(address);
      server.close().await();
      fetchMore(address);
      assertThat(address.keys().has("first")).isTrue();
    }
  }

  /** Waits until a fetch that begins from now on has ended. */
  private void fetchMore(JwksEndpoint address) {
    await(() -> !address.missing());
    nanos.addAndGet(JwksEndpoint.BACK_OFF.toNanos());
    address.missing();
    await(() -> !address.missing());
  }
}
