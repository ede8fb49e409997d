package dev.sluice.ops;

import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Objects;

/**
 * The page for browsers: one file that loads nothing but the state that it shows.
 *
 * <p>The content security policy lets nothing else run on it.
 */
final class ConsolePage {
  /** The path from which the page polls the state. */
  static final String STATE_PATH = "/console.json";

  private static final String PAGE = read();

  /** Only scripts and styles of the file are allowed, and no page may frame it. */
  private static final String POLICY =
      "default-src 'none'; connect-src 'self'; script-src '%s'; style-src '%s'; "
              .formatted(hash("script"), hash("style"))
          + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private ConsolePage() {}

  static void answer(HttpExchange exchange) {
    exchange.putHeader("Content-Security-Policy", POLICY);
    exchange.putHeader("X-Content-Type-Options", "nosniff");
    exchange.putHeader("Referrer-Policy", "no-referrer");
    exchange.putHeader(HttpHeaders.CACHE_CONTROL, "no-cache");
    exchange.answer(200, "text/html; charset=utf-8", Buffer.buffer(PAGE));
  }

  private static String read() {
    try (InputStream file = ConsolePage.class.getResourceAsStream("console.html")) {
      return new String(
          Objects.requireNonNull(file, "console.html").readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the hash by which the content security policy permits the page's one such element. */
  private static String hash(String element) {
    String begin = "<" + element + ">";
    int from = PAGE.indexOf(begin) + begin.length();
    String content = PAGE.substring(from, PAGE.indexOf("</" + element + ">", from));
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java VM has SHA-256", e);
    }
  }
}
