package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to a server on this machine, with targets exactly as they are given, and waits for
 * the answers. For the test's own thread.
 */
public final class HttpCaller implements AutoCloseable {
  private static final int TIMEOUT_SECONDS = 60;

  /** What came back. */
  public record Answer(int status, @Nullable String contentType, MultiMap headers, Buffer body) {
    public String text() {
      return body.toString();
    }

    /** Returns what an answer of a status says in JSON. */
    public JsonNode json(int wanted) {
      assertThat(status).as(text()).isEqualTo(wanted);
      return Json.read(text());
    }

    /** Returns what the server-sent events say that are JSON. */
    public List<JsonNode> events() {
      return text()
          .lines()
          .filter(line -> line.startsWith("data: {"))
          .map(line -> Json.read(line.substring("data: ".length())))
          .toList();
    }
  }

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client = vertx.createHttpClient();
  private final int port;

  public HttpCaller(int port) {
    this.port = port;
  }

  /** Sends a request without special headers. */
  public Answer send(String method, String target, Buffer body) {
    return send(method, target, MultiMap.caseInsensitiveMultiMap(), body);
  }

  /** Posts JSON. */
  public Answer post(String target, String json) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add("Content-Type", "application/json");
    return send("POST", target, headers, Buffer.buffer(json));
  }

  /** Posts JSON, and returns what an answer of status 200 says. */
  public JsonNode answer(String target, String json) {
    return post(target, json).json(200);
  }

  public Answer send(String method, String target, MultiMap headers, Buffer body) {
    Future<Answer> answer =
        client
            .request(HttpMethod.valueOf(method), port, "localhost", target)
            .compose(request -> send(request, headers, body));
    return await(answer);
  }

  private static Future<Answer> send(HttpClientRequest request, MultiMap headers, Buffer body) {
    request.headers().addAll(headers);
    return request.send(body).compose(HttpCaller::read);
  }

  private static Future<Answer> read(HttpClientResponse response) {
    return response
        .body()
        .map(body ->
            new Answer(
                response.statusCode(),
                response.getHeader("Content-Type"),
                response.headers(),
                body));
  }

  private static <T> T await(Future<T> future) {
    CompletableFuture<T> answer = future.toCompletionStage().toCompletableFuture();
    try {
      return answer.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).get();
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    } catch (InterruptedException e) {
      // The time of a test is over, which may ask again and again.
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    }
  }

  @Override
  public void close() {
    await(vertx.close());
  }
}
