package dev.sluice.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A real OpenTelemetry collector, built by Go from its own modules below {@code target}, that takes
 * spans and metrics by OTLP over HTTP and gRPC, with TLS and without, and writes them to files. For
 * the test's own thread.
 */
public final class OpenTelemetryCollector implements AutoCloseable {
  private static final Path SOURCES = Path.of("src/test/go/collector");
  private static final Path PROGRAM = Path.of("target/collector/collector").toAbsolutePath();
  private static final int BUILDING_SECONDS = 400;

  private final Process process;
  private final Path log;
  private final Path written;
  private final List<Integer> ports;

  private OpenTelemetryCollector(Process process, Path log, Path written, List<Integer> ports) {
    this.process = process;
    this.log = log;
    this.written = written;
    this.ports = ports;
  }

  /** Builds it, quickly if nothing has changed; where Go cannot, the test is left out. */
  public static void build() throws Exception {
    Files.createDirectories(PROGRAM.getParent());
    assumeTrue(built(), "Go does not build the collector");
  }

  private static boolean built() throws InterruptedException {
    try {
      Process go =
          new ProcessBuilder("go", "build", "-o", PROGRAM.toString(), ".")
              .directory(SOURCES.toFile())
              .inheritIO()
              .start();
      boolean ended = go.waitFor(BUILDING_SECONDS, TimeUnit.SECONDS);
      go.destroyForcibly();
      return ended && go.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Starts one, and returns when it takes connections.
   *
   * @param folder where its files are
   * @param tls its certificate and key
   */
  public static OpenTelemetryCollector start(Path folder, SelfSigned tls) {
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ports.add(ChildServer.freePort());
    }
    Path written = folder.resolve("spans.json");
    String config = config(ports, tls, written);
    try {
      Path file = Files.writeString(folder.resolve("collector.yaml"), config);
      Path log = folder.resolve("collector.log");
      Process process =
          new ProcessBuilder(PROGRAM.toString(), "--config", file.toString())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      var started = new OpenTelemetryCollector(process, log, written, ports);
      Polling.await("the collector is ready", started::isReady);
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String config(List<Integer> ports, SelfSigned tls, Path written) {
    return """
    receivers:
      otlp/plain:
        protocols:
          http: { endpoint: "127.0.0.1:%d" }
          grpc: { endpoint: "127.0.0.1:%d" }
      otlp/tls:
        protocols:
          http: { endpoint: "127.0.0.1:%d", tls: { cert_file: %s, key_file: %s } }
          grpc: { endpoint: "127.0.0.1:%d", tls: { cert_file: %s, key_file: %s } }
    exporters:
      file: { path: %s, flush_interval: 100ms }
      file/metrics: { path: %s.metrics, flush_interval: 100ms }
    service:
      telemetry: { metrics: { level: none } }
      pipelines:
        traces: { receivers: [otlp/plain, otlp/tls], exporters: [file] }
        metrics: { receivers: [otlp/plain, otlp/tls], exporters: [file/metrics] }
    """
        .formatted(
            ports.get(0),
            ports.get(1),
            ports.get(2),
            tls.certificate(),
            tls.key(),
            ports.get(3),
            tls.certificate(),
            tls.key(),
            written,
            written);
  }

  private boolean isReady() {
    if (!process.isAlive()) {
      throw new AssertionError("the collector has ended: " + read(log));
    }
    return ports.stream().allMatch(OpenTelemetryCollector::isOpen);
  }

  private static boolean isOpen(int port) {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns where it takes both. */
  public String endpoint(boolean grpc, boolean tls) {
    int port = ports.get((tls ? 2 : 0) + (grpc ? 1 : 0));
    return (tls ? "https" : "http") + "://localhost:" + port;
  }

  /**
   * Returns the spans of a trace and the resource that made them, as soon as there is that of the
   * server.
   *
   * @param trace its id, in hexadecimal digits
   */
  public List<Collected> await(String trace) {
    List<Collected> found = new ArrayList<>();
    Polling.await(
        "the server's span of " + trace,
        () -> {
          found.clear();
          found.addAll(collected(trace));
          return found.stream().anyMatch(Collected::isServers);
        });
    return found;
  }

  private List<Collected> collected(String trace) {
    List<Collected> found = new ArrayList<>();
    for (String line : Files.exists(written) ? read(written).split("\n", -1) : new String[0]) {
      if (line.contains(trace) && line.endsWith("}")) {
        objects(new JsonObject(line), "resourceSpans").forEach(from -> add(found, from, trace));
      }
    }
    return found;
  }

  private static void add(List<Collected> found, JsonObject from, String trace) {
    for (JsonObject scope : objects(from, "scopeSpans")) {
      for (JsonObject span : objects(scope, "spans")) {
        if (span.getString("traceId").equals(trace)) {
          found.add(new Collected(span, from.getJsonObject("resource")));
        }
      }
    }
  }

  /**
   * Returns the metrics of a server by their names, as it took them, as soon as there are some.
   *
   * @param instance the id of the server among the attributes of its resource
   */
  public Map<String, JsonObject> awaitMetrics(String instance) {
    Map<String, JsonObject> found = new TreeMap<>();
    Path file = Path.of(written + ".metrics");
    Polling.await(
        "metrics of " + instance,
        () -> {
          for (String line : Files.exists(file) ? read(file).split("\n", -1) : new String[0]) {
            if (line.contains(instance) && line.endsWith("}")) {
              objects(new JsonObject(line), "resourceMetrics").stream()
                  .flatMap(from -> objects(from, "scopeMetrics").stream())
                  .flatMap(scope -> objects(scope, "metrics").stream())
                  .forEach(metric -> found.put(metric.getString("name"), metric));
            }
          }
          return !found.isEmpty();
        });
    return found;
  }

  private static List<JsonObject> objects(JsonObject in, String name) {
    return in.getJsonArray(name, new JsonArray()).stream().map(JsonObject.class::cast).toList();
  }

  /**
   * What the collector has written, in the JSON of OTLP.
   *
   * @param span as it took it
   * @param resource what made it
   */
  public record Collected(JsonObject span, JsonObject resource) {
    private static final int SERVER = 2;

    private boolean isServers() {
      return span.getInteger("kind") == SERVER;
    }

    /** Returns its name. */
    public String name() {
      return span.getString("name");
    }

    /** Returns a text among the attributes of its resource; empty if there is none. */
    public String made(String attribute) {
      return objects(resource, "attributes").stream()
          .filter(pair -> pair.getString("key").equals(attribute))
          .map(pair -> pair.getJsonObject("value").getString("stringValue"))
          .findFirst()
          .orElse("");
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
