package dev.sluice.boot.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * What a new server is asked first: health, metadata, metrics, inference by the REST protocols, and
 * a request that is refused. A server sends itself one inference by each protocol, gRPC and brpc
 * too, whenever it starts, so these are not here.
 */
final class TrainingRequests {
  private static final int WANTED = 200;

  /** Longer than a server takes until it is warm. */
  private static final long PATIENCE = Duration.ofMinutes(2).toNanos();

  private static final long LOOK = Duration.ofMillis(100).toNanos();

  private TrainingRequests() {}

  /** Path of a request, its body (empty: GET), and the status wanted. */
  private record Request(String path, String body, int status) {}

  /**
   * Waits until the server is ready, which means that it is warm, then sends them one after the
   * other. Blocks.
   *
   * @param address host and port of the server
   * @param model which takes two integer inputs of shape [-1, 16]
   * @return what was answered otherwise than wanted, in words; empty if nothing was
   */
  static List<String> send(String address, String model) throws IOException {
    int colon = address.lastIndexOf(':');
    String host = address.substring(0, colon);
    int port = Integer.parseInt(address.substring(colon + 1));
    long end = System.nanoTime() + PATIENCE;
    Request ready = get("/v2/health/ready");
    while (!status(host, port, ready).contains(" 200 ") && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(LOOK);
    }
    List<String> failures = new ArrayList<>();
    for (Request request : requests(model)) {
      String status = status(host, port, request);
      if (!status.contains(" " + request.status() + " ")) {
        failures.add(request.path() + " was answered by '" + status + "'");
      }
    }
    return failures;
  }

  private static List<Request> requests(String model) {
    String zeros = "[" + String.join(",", Collections.nCopies(16, "0")) + "]";
    String row = "{\"INPUT0\":" + zeros + ",\"INPUT1\":" + zeros + "}";
    String input = "\",\"shape\":[1,16],\"datatype\":\"INT32\",\"data\":" + zeros + "}";
    String inputs = "{\"name\":\"INPUT0" + input + ",{\"name\":\"INPUT1" + input;
    return List.of(
        get("/v2/health/live"),
        get("/v2/health/ready"),
        get("/v2"),
        get("/v2/models/" + model),
        get("/v2/models/" + model + "/ready"),
        get("/v1/models/" + model),
        get("/v1/models/" + model + "/metadata"),
        new Request("/v2/models/" + model + "/infer", "{\"inputs\":[" + inputs + "]}", WANTED),
        new Request("/v1/models/" + model + ":predict", "{\"instances\":[" + row + "]}", WANTED),
        new Request("/v2/models/" + model + "/infer", "{\"inputs\":[]}", 400),
        new Request("/v2/models/missing/infer", "{\"inputs\":[" + inputs + "]}", 404),
        get("/metrics"));
  }

  private static Request get(String path) {
    return new Request(path, "", WANTED);
  }

  private static String status(String host, int port, Request request) throws IOException {
    byte[] body = request.body().getBytes(UTF_8);
    String method = body.length == 0 ? "GET " : "POST ";
    String head = method + request.path() + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    String content =
        body.length == 0
            ? ""
            : "Content-Type: application/json\r\nContent-Length: " + body.length + "\r\n";
    try (var socket = new Socket(host, port)) {
      socket.getOutputStream().write((head + content + "\r\n" + request.body()).getBytes(UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      return answer.lines().findFirst().orElse("");
    }
  }
}
