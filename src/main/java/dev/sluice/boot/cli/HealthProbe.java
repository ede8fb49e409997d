package dev.sluice.boot.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.config.binding.ConfigException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One request of HTTP/1.1 by plain sockets of the JDK: it is sent every few seconds by a process of
 * its own, and a client library would take most of that process's time. Caller's thread.
 *
 * @param target scheme, host, port and path
 * @param socket a Unix domain socket to connect to instead
 * @param authority verifies the server's certificate; without it no one does
 * @param headers lines of them
 * @param timeout for all of it
 */
record HealthProbe(
    URI target,
    Optional<Path> socket,
    Optional<Path> authority,
    List<String> headers,
    Duration timeout) {
  private static final int LONGEST_STATUS = 256;

  /** Returns the address to ask, with a path if it has none. */
  static URI target(String url, String path) {
    if (!url.matches("https?://[^/\\s]+(/\\S*)?")) {
      throw new ConfigException("--url is '" + url + "'; wanted one such as http://localhost:8080");
    }
    try {
      URI given = URI.create(url);
      return given.getPath().length() > 1 ? given : given.resolve(path);
    } catch (IllegalArgumentException e) {
      throw new ConfigException("--url is '" + url + "': " + e.getMessage());
    }
  }

  /** Returns lines that say who asks. */
  static List<String> headers(@Nullable String token, @Nullable String apiKey) {
    List<String> lines = new ArrayList<>();
    if (token != null && !token.isEmpty()) {
      lines.add("Authorization: Bearer " + token);
    }
    if (apiKey != null) {
      lines.add("X-API-Key: " + apiKey);
    }
    if (lines.stream().anyMatch(line -> line.chars().anyMatch(letter -> letter < ' '))) {
      throw new ConfigException("--token and --api-key have no line ends");
    }
    return lines;
  }

  /** Returns why the server is not what was asked for; empty if it is. */
  String failure() {
    var asked = new FutureTask<>(this::status);
    Thread.ofPlatform().daemon().start(asked);
    try {
      String status = asked.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      return status.matches("HTTP/1\\.1 2\\d\\d.*") ? "" : target + " answers " + status;
    } catch (TimeoutException _) {
      return target + " has not answered after " + timeout.toMillis() + " ms";
    } catch (ExecutionException e) {
      return target + ": " + e.getCause();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  private String status() throws IOException {
    try (HealthConnection connection = connect()) {
      connection.write(request().getBytes(ISO_8859_1));
      return connection.readLine(LONGEST_STATUS);
    }
  }

  private HealthConnection connect() throws IOException {
    if (socket.isPresent() && !secure()) {
      return HealthConnection.unix(socket.get());
    }
    if (socket.isPresent()) {
      throw new ConfigException("--socket and https do not go together");
    }
    var tcp = new Socket();
    try {
      tcp.connect(new InetSocketAddress(host(), port()));
      return HealthConnection.tcp(
          secure() ? HealthConnection.secure(tcp, host(), port(), authority) : tcp);
    } catch (IOException e) {
      tcp.close();
      throw e;
    }
  }

  private String request() {
    List<String> lines = new ArrayList<>();
    lines.add("GET " + target.getRawPath() + " HTTP/1.1");
    lines.add("Host: " + target.getRawAuthority());
    lines.addAll(headers);
    lines.add("Connection: close");
    return String.join("\r\n", lines) + "\r\n\r\n";
  }

  private boolean secure() {
    return target.getScheme().equals("https");
  }

  private String host() {
    return target.getHost().replaceAll("^\\[|]$", "");
  }

  private int port() {
    int standard = secure() ? 443 : 80;
    return target.getPort() < 0 ? standard : target.getPort();
  }
}
