package dev.sluice.transport.connection;

import io.vertx.core.http.HttpHeaders;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Value of the header {@code Date}, which every response of HTTP has whose server has a clock (RFC
 * 9110, section 6.6.1). Written once a second, by whichever thread comes first. Any thread.
 */
public final class ResponseDate {
  private static final DateTimeFormatter FORM =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
          .withZone(ZoneOffset.UTC);

  private static final long MILLIS = 1_000;

  private record Second(long number, CharSequence text) {}

  private static volatile Second last = at(0);

  private ResponseDate() {}

  /** Returns the time of the day, to the second. */
  public static CharSequence now() {
    long now = System.currentTimeMillis() / MILLIS;
    Second seen = last;
    if (seen.number != now) {
      seen = at(now);
      last = seen;
    }
    return seen.text;
  }

  private static Second at(long number) {
    return new Second(
        number, HttpHeaders.createOptimized(FORM.format(Instant.ofEpochSecond(number))));
  }
}
