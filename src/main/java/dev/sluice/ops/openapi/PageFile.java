package dev.sluice.ops.openapi;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * A file of the page that shows the documents: Swagger UI, from its WebJar, and what begins it.
 * Nothing is loaded from elsewhere.
 */
enum PageFile {
  PAGE("page.html", "text/html; charset=utf-8", false),
  SCRIPT("page.js", "text/javascript; charset=utf-8", false),
  THEME("theme.js", "text/javascript; charset=utf-8", false),
  STYLE("page.css", "text/css; charset=utf-8", false),
  LIBRARY("swagger-ui-bundle.js", "text/javascript; charset=utf-8", true),
  LIBRARY_STYLE("swagger-ui.css", "text/css; charset=utf-8", true);

  /** The headers of the page: only scripts and styles of the server, and no page may frame it. */
  static final Map<String, String> POLICY =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self'; "
              + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "Referrer-Policy",
          "no-referrer");

  private static final String WEBJAR = "META-INF/maven/org.webjars/swagger-ui/pom.properties";

  private final String file;
  private final String contentType;
  private final boolean ofLibrary;

  PageFile(String file, String contentType, boolean ofLibrary) {
    this.file = file;
    this.contentType = contentType;
    this.ofLibrary = ofLibrary;
  }

  /** Returns the paths of the files that a page loads. */
  static List<String> paths(String prefix) {
    return Arrays.stream(values())
        .filter(file -> file != PAGE)
        .map(file -> file.path(prefix))
        .toList();
  }

  /** Returns the file at a path; null if none is. */
  static @Nullable PageFile at(String prefix, String path) {
    for (PageFile file : values()) {
      if (file != PAGE && file.path(prefix).equals(path)) {
        return file;
      }
    }
    return null;
  }

  private String path(String prefix) {
    return prefix + "/" + file;
  }

  String contentType() {
    return contentType;
  }

  /** Reads the file. Blocks. */
  Buffer content() {
    return Buffer.buffer(
        ofLibrary
            ? read("/META-INF/resources/webjars/swagger-ui/" + version() + "/" + file)
            : read(file));
  }

  private static String version() {
    var properties = new Properties();
    try {
      properties.load(
          new StringReader(new String(read("/" + WEBJAR), StandardCharsets.ISO_8859_1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }

  private static byte[] read(String resource) {
    try (InputStream bytes = PageFile.class.getResourceAsStream(resource)) {
      return Objects.requireNonNull(bytes, resource).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
