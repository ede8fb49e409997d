package dev.sluice.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A reverse proxy that serves a server below a prefix of paths, as an ingress does. A test may
 * answer single paths itself.
 */
public final class PrefixProxy implements AutoCloseable {
  /** The prefix, with a slash at both ends. */
  public static final String PREFIX = "/team/a/";

  private static final Set<String> PASSED =
      Set.of("content-type", "server-timing", "content-security-policy", "etag");

  /** Answers a request in the server's place. */
  @FunctionalInterface
  public interface Stand {
    void answer(OutputStream body) throws IOException, InterruptedException;
  }

  private final HttpServer proxy;
  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Stand> stands = new ConcurrentHashMap<>();
  private final int target;

  public PrefixProxy(int target) throws IOException {
    this.target = target;
    proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    proxy.setExecutor(threads);
    proxy.createContext(PREFIX, this::pass);
    proxy.start();
  }

  /** Returns the address of the server's root path, with a slash at the end. */
  public String url() {
    return "http://127.0.0.1:" + proxy.getAddress().getPort() + PREFIX;
  }

  /** Answers a path of the server by events, instead of it. */
  public void stand(String path, Stand stand) {
    stands.put(path, stand);
  }

  /** Has the server answer everything again. */
  public void standNowhere() {
    stands.clear();
  }

  private void pass(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getRawPath().substring(PREFIX.length() - 1);
      Stand stand = stands.get(path);
      if (stand == null) {
        forward(exchange, path);
        return;
      }
      exchange.getRequestBody().readAllBytes();
      exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      stand.answer(exchange.getResponseBody());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void forward(HttpExchange exchange, String path)
      throws IOException, InterruptedException {
    String query = exchange.getRequestURI().getRawQuery();
    String url = "http://127.0.0.1:" + target + path + (query == null ? "" : "?" + query);
    var request =
        HttpRequest.newBuilder(URI.create(url))
            .method(
                exchange.getRequestMethod(),
                BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
    for (String name : List.of("accept", "content-type", "authorization", "x-server-timing")) {
      String value = exchange.getRequestHeaders().getFirst(name);
      if (value != null) {
        request.header(name, value);
      }
    }
    HttpResponse<InputStream> answer = client.send(request.build(), BodyHandlers.ofInputStream());
    answer
        .headers()
        .map()
        .forEach((name, values) -> {
          if (PASSED.contains(name.toLowerCase(Locale.ROOT))) {
            exchange.getResponseHeaders().put(name, values);
          }
        });
    exchange.sendResponseHeaders(answer.statusCode(), 0);
    try (InputStream body = answer.body()) {
      body.transferTo(exchange.getResponseBody());
    }
  }

  @Override
  public void close() {
    proxy.stop(0);
    threads.close();
    client.close();
  }
}
