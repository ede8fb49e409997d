package dev.sluice.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The configuration of Envoy on the page about meshes, for the servers of a test.
 *
 * @param first port of the first server
 * @param second port of the second server
 * @param tls port with TLS of the first server
 * @param socket Unix domain socket of the first server
 */
public record MeshExample(int first, int second, int tls, Path socket) {
  private static final Path PAGE = Path.of("src/docs/reference/examples/envoy.yaml");

  /** For servers that have a port alone. */
  public static MeshExample of(RunningServer first, RunningServer second) {
    return new MeshExample(first.port(), second.port(), first.port(), Path.of("/none"));
  }

  /** Returns it with free ports, and with time for a machine that does much else. */
  public String config() {
    try {
      return Files.readString(PAGE)
          .replace("timeout: 1s", "timeout: 60s")
          .replaceAll("port_value: (9901|1000\\d)", "port_value: 0")
          .replace("address: 0.0.0.0", "address: 127.0.0.1")
          .replace("port_value: 8080", "port_value: " + first)
          .replace("port_value: 8081", "port_value: " + second)
          .replace("port_value: 8443", "port_value: " + tls)
          .replace("/run/sluice/sluice.sock", socket.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
