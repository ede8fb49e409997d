package dev.sluice.security;

import dev.sluice.config.binding.ConfigException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys that are fetched from an address: at the start, time after time, and when a token names one
 * that is not among them. While the address cannot be reached, the keys that it gave last stay. Any
 * thread.
 */
final class JwksEndpoint implements TokenKeySource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JwksEndpoint.class);

  /** From one fetch to the next that a token or a failure causes. */
  static final Duration BACK_OFF = Duration.ofSeconds(5);

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int LARGEST = 1024 * 1024;
  private static final int OK = 200;

  private final Vertx vertx;
  private final URI address;
  private final Duration refresh;
  private final LongSupplier nanoTime;
  private final HttpClient client;
  private final AtomicBoolean fetching = new AtomicBoolean();
  private volatile TokenKeys keys = TokenKeys.NONE;
  private volatile long begun;
  private volatile String complaint = "";
  private volatile boolean closed;

  /** Begins to fetch. */
  JwksEndpoint(Vertx vertx, URI address, Duration refresh, LongSupplier nanoTime) {
    this.vertx = vertx;
    this.address = address;
    this.refresh = refresh;
    this.nanoTime = nanoTime;
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setConnectTimeout(Math.toIntExact(TIMEOUT.toMillis()))
                .setKeepAlive(false));
    fetchAgain();
  }

  @Override
  public TokenKeys keys() {
    return keys;
  }

  @Override
  public boolean missing() {
    if (!fetching.get() && nanoTime.getAsLong() - begun >= BACK_OFF.toNanos()) {
      fetch();
    }
    return fetching.get();
  }

  private void fetchAgain() {
    fetch()
        .onComplete(fetched -> {
          if (!closed) {
            boolean soon = fetched.failed() && BACK_OFF.compareTo(refresh) < 0;
            vertx.setTimer((soon ? BACK_OFF : refresh).toMillis(), _ -> fetchAgain());
          }
        });
  }

  /** Fetches the keys, unless that is being done. */
  private Future<Void> fetch() {
    if (closed || !fetching.compareAndSet(false, true)) {
      return Future.succeededFuture();
    }
    begun = nanoTime.getAsLong();
    return client
        .request(
            new RequestOptions()
                .setAbsoluteURI(address.toString())
                .setTimeout(TIMEOUT.toMillis())
                .putHeader("Accept", "application/json"))
        .compose(JwksEndpoint::exchange)
        .timeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .map(body -> TokenKeys.parse(address.toString(), body.toString()))
        .onSuccess(this::take)
        .onFailure(this::complain)
        .onComplete(_ -> fetching.set(false))
        .mapEmpty();
  }

  /**
   * Sends a request and reads its answer. All on the connection's event loop: the body of an answer
   * to which another thread listens too late is lost.
   */
  private static Future<Buffer> exchange(HttpClientRequest request) {
    // What is reset here on purpose is no failure for the log.
    request.exceptionHandler(_ -> {});
    return request.send().compose(JwksEndpoint::body);
  }

  private static Future<Buffer> body(HttpClientResponse response) {
    if (response.statusCode() != OK) {
      response.exceptionHandler(_ -> {});
      response.request().reset();
      return Future.failedFuture("status " + response.statusCode() + "; wanted 200");
    }
    Promise<Buffer> whole = Promise.promise();
    Buffer body = Buffer.buffer();
    response.exceptionHandler(whole::tryFail);
    response.endHandler(_ -> whole.tryComplete(body));
    response.handler(piece -> {
      if (body.length() + piece.length() > LARGEST) {
        whole.tryFail("the answer is longer than 1 MiB");
        response.exceptionHandler(_ -> {});
        response.request().reset();
      } else {
        body.appendBuffer(piece);
      }
    });
    return whole.future();
  }

  private void take(TokenKeys fetched) {
    complaint = "";
    if (!fetched.equals(keys)) {
      keys = fetched;
      LOG.info("{} keys of tokens come from {}", fetched.keys().size(), address);
    }
  }

  private void complain(Throwable failure) {
    String text =
        failure instanceof ConfigException
            ? String.valueOf(failure.getMessage())
            : address + ": the keys of tokens cannot be fetched: " + failure.getMessage();
    if (!closed && !text.equals(complaint)) {
      complaint = text;
      LOG.warn("{}; those that it gave before stay", text);
    }
  }

  @Override
  public void close() {
    closed = true;
    client.close();
  }
}
