package dev.sluice.transport;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Names requests for the logs: by the caller's {@code x-request-id}, or with a name of our own.
 * Belongs to one event loop; names of different loops differ by their beginnings.
 */
public final class RequestIds {
  /** Longer names are cut: they only go into logs. */
  private static final int MAX_LENGTH = 128;

  static final CharSequence HEADER = HttpHeaders.createOptimized("x-request-id");

  private final String prefix =
      Integer.toHexString(ThreadLocalRandom.current().nextInt(0x1000_0000, Integer.MAX_VALUE))
          + '-';
  private long next;

  /** Returns the request's name. */
  public String of(HttpServerRequest request) {
    return of(request.getHeader(HEADER));
  }

  /** Returns the name of a request with such headers: a value by its name. */
  public String of(Function<CharSequence, @Nullable String> headers) {
    return of(headers.apply(HEADER));
  }

  /** Returns the name that a caller gave, or one of our own if it gave none. */
  public String of(@Nullable String given) {
    if (given == null || given.isEmpty()) {
      return prefix + next++;
    }
    return given.length() <= MAX_LENGTH ? given : given.substring(0, MAX_LENGTH);
  }
}
