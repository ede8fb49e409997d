package dev.sluice.ops;

import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.ResponseCoding;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The page for browsers and the files that it loads, which are the same for every caller and hold
 * nothing of the server: every caller that can connect gets them, so that the page can ask for a
 * token. What it shows needs rights.
 *
 * <p>The content security policy lets only these files run. Static: read once, by a worker.
 */
final class ConsoleFiles {
  /** Stands in the page for the way to the folder of the root path. */
  private static final String ROOT = "{{root}}";

  private static final String PAGE = "index.html";
  private static final String SCRIPT = "text/javascript; charset=utf-8";

  /** Only scripts and styles of this server are allowed, and no page may frame it. */
  private static final String POLICY =
      "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self'; "
          + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final String LIBRARY = "chart.js";

  private static final Map<String, String> TYPES =
      Map.of("css", "text/css; charset=utf-8", "js", SCRIPT, "svg", "image/svg+xml");

  /** A file: its bytes, and a tag that changes with them. */
  private record StaticFile(Buffer bytes, String tag) {}

  private static final Map<String, StaticFile> READ = new ConcurrentHashMap<>();

  /** Any size: reading the first time takes milliseconds. */
  private static final long LARGE = Long.MAX_VALUE;

  private ConsoleFiles() {}

  /**
   * Answers with the page.
   *
   * @param root the way from the page's folder to that of the root path, such as {@code ../}: the
   *     page has no absolute links, so that it works behind a proxy that adds a prefix
   */
  static void answerPage(HttpExchange exchange, String root) {
    exchange.putHeader("Content-Security-Policy", POLICY);
    answer(exchange, PAGE, "text/html; charset=utf-8", root);
  }

  /**
   * Answers with a file.
   *
   * @param name as the path has it, behind the folder
   * @return false if there is no such file
   */
  static boolean answerFile(HttpExchange exchange, String name) {
    String type = type(name);
    if (type == null || !has(name)) {
      return false;
    }
    answer(exchange, name, type, "");
    return true;
  }

  private static @Nullable String type(String name) {
    return TYPES.get(name.substring(name.lastIndexOf('.') + 1));
  }

  /** Returns whether there is such a file. */
  static boolean has(String name) {
    return type(name) != null && isName(name) && resource(name) != null;
  }

  /** Only plain names are looked for on the class path. */
  private static boolean isName(String name) {
    return name.chars().allMatch(c -> (c >= 'a' && c <= 'z') || c == '-' || c == '.')
        && !name.contains("..");
  }

  private static @Nullable InputStream resource(String name) {
    return name.equals(LIBRARY) ? library() : ConsoleFiles.class.getResourceAsStream(path(name));
  }

  private static String path(String name) {
    return "console/" + name;
  }

  /** The library of charts is a jar of its own, which says its version. */
  private static @Nullable InputStream library() {
    try (InputStream about =
        ConsoleFiles.class.getResourceAsStream(
            "/META-INF/maven/org.webjars.npm/chart.js/pom.properties")) {
      var properties = new Properties();
      properties.load(Objects.requireNonNull(about, LIBRARY));
      return ConsoleFiles.class.getResourceAsStream(
          "/META-INF/resources/webjars/chart.js/%s/dist/chart.umd.min.js"
              .formatted(properties.getProperty("version")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void answer(HttpExchange exchange, String name, String type, String root) {
    exchange.putHeader("X-Content-Type-Options", "nosniff");
    exchange.putHeader("Referrer-Policy", "no-referrer");
    exchange.putHeader(HttpHeaders.CACHE_CONTROL, "no-cache");
    exchange.putHeader(HttpHeaders.VARY, "accept, accept-encoding");
    ResponseCoding coding = ResponseCoding.of(exchange.header(HttpHeaders.ACCEPT_ENCODING));
    exchange
        .compute(
            LARGE, () -> READ.computeIfAbsent(name + coding + root, _ -> read(name, root, coding)))
        .onSuccess(file -> send(exchange, file, type, coding))
        .onFailure(e ->
            exchange.answer(500, "text/plain", Buffer.buffer(exchange.explain(e).getMessage())));
  }

  private static void send(
      HttpExchange exchange, StaticFile file, String type, ResponseCoding coding) {
    exchange.putHeader(HttpHeaders.ETAG, file.tag);
    if (file.tag.equals(exchange.header(HttpHeaders.IF_NONE_MATCH))) {
      exchange.empty(304);
      return;
    }
    if (coding != ResponseCoding.IDENTITY) {
      exchange.putHeader(HttpHeaders.CONTENT_ENCODING, coding.token());
    }
    exchange.answer(200, type, file.bytes);
  }

  private static StaticFile read(String name, String root, ResponseCoding coding) {
    try (InputStream file = Objects.requireNonNull(resource(name), name)) {
      Buffer bytes = Buffer.buffer(file.readAllBytes());
      if (name.equals(PAGE)) {
        bytes = Buffer.buffer(bytes.toString().replace(ROOT, root));
      }
      Buffer coded = coding.encode(bytes);
      return new StaticFile(coded, "\"" + hash(coded.getBytes()) + "\"");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String hash(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(hash, 0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java VM has SHA-256", e);
    }
  }
}
