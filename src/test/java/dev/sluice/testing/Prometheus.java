package dev.sluice.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real Prometheus that scrapes a server of a test every second and keeps exemplars: the one on
 * the PATH, or else that of Debian's package, which is unpacked below {@code target}. For the
 * test's own thread.
 */
public final class Prometheus implements AutoCloseable {
  private static final Path PLACE = Path.of("target/prometheus").toAbsolutePath();
  private static final Path UNPACKED = PLACE.resolve("usr/bin/prometheus");
  private static final String PROMTOOL = UNPACKED.resolveSibling("promtool").toString();
  private static final int INSTALLING_SECONDS = 120;

  private final Process process;
  private final HttpCaller http;
  private final Path log;

  private Prometheus(Process process, HttpCaller http, Path log) {
    this.process = process;
    this.http = http;
    this.log = log;
  }

  /** Returns its program; where it cannot be had, the test is left out. */
  private static String program() throws Exception {
    if (run(Path.of("."), "prometheus", "--version")) {
      return "prometheus";
    }
    if (!Files.exists(UNPACKED)) {
      Files.createDirectories(PLACE);
      assumeTrue(run(PLACE, "apt-get", "download", "prometheus"), "Debian's package is not there");
      try (Stream<Path> files = Files.list(PLACE)) {
        Path deb = files.filter(file -> file.toString().endsWith(".deb")).findFirst().orElseThrow();
        assumeTrue(run(PLACE, "dpkg-deb", "--extract", deb.toString(), "."), "it is not unpacked");
      }
    }
    return UNPACKED.toString();
  }

  /**
   * Returns whether its checker of rules accepts a file: their queries and what their texts name.
   */
  public static boolean accepts(Path rules) throws Exception {
    String checker = program().equals("prometheus") ? "promtool" : PROMTOOL;
    return run(Path.of("."), checker, "check", "rules", rules.toString());
  }

  private static boolean run(Path folder, String... command) throws Exception {
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      boolean ended = process.waitFor(INSTALLING_SECONDS, TimeUnit.SECONDS);
      process.destroyForcibly();
      return ended && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Starts one, and returns when it takes queries.
   *
   * @param folder where its files are
   * @param target port of the server that it scrapes
   */
  public static Prometheus start(Path folder, int target) throws Exception {
    String program = program();
    Path config =
        Files.writeString(
            folder.resolve("prometheus.yml"),
            """
            global: { scrape_interval: 1s, scrape_timeout: 1s }
            scrape_configs:
              - job_name: sluice
                static_configs: [ { targets: ["localhost:%d"] } ]
            """
                .formatted(target));
    int port = freePort();
    Path log = folder.resolve("prometheus.log");
    Process process =
        new ProcessBuilder(
                List.of(
                    program,
                    "--config.file=" + config,
                    "--storage.tsdb.path=" + folder.resolve("prometheus"),
                    "--web.listen-address=127.0.0.1:" + port,
                    "--enable-feature=exemplar-storage"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    var started = new Prometheus(process, new HttpCaller(port), log);
    Polling.await("Prometheus is ready", started::isReady);
    return started;
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private boolean isReady() {
    if (!process.isAlive()) {
      throw new AssertionError("Prometheus has ended: " + log());
    }
    try {
      return http.send("GET", "/-/ready", Buffer.buffer()).status() == 200;
    } catch (RuntimeException e) {
      return false;
    }
  }

  private String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the series that a query answers with, at this moment. */
  public JsonArray query(String query) {
    JsonObject data = (JsonObject) data("/api/v1/query?query=" + URLEncoder.encode(query, UTF_8));
    return data.getJsonArray("result");
  }

  /** Returns the series with exemplars that a query names, since the beginning. */
  public JsonArray exemplars(String query) {
    return (JsonArray)
        data(
            "/api/v1/query_exemplars?start=0&end=32503680000&query="
                + URLEncoder.encode(query, UTF_8));
  }

  private Object data(String target) {
    var answer = new JsonObject(http.send("GET", target, Buffer.buffer()).body());
    if (!"success".equals(answer.getString("status"))) {
      throw new AssertionError(target + ": " + answer);
    }
    return answer.getValue("data");
  }

  /** Waits until it has scraped a page on which a query finds something. */
  public void await(String query) {
    Polling.await(query + " is scraped", () -> !query(query).isEmpty());
  }

  @Override
  public void close() {
    http.close();
    process.destroyForcibly();
    process.onExit().join();
  }
}
