package dev.sluice.conformance;

import static dev.sluice.testing.OtlpCollector.attributes;
import static dev.sluice.testing.OtlpCollector.traceId;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OtlpCollector;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.opentelemetry.proto.trace.v1.Span;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The names of spans of HTTP, of models whose names are parts of paths too. */
class SpanNamesIT {
  private static final AtomicLong NEXT = new AtomicLong(0x1000);

  @TempDir private static Path models;
  private static OtlpCollector collector;
  private static RunningServer server;
  private static HttpCaller caller;

  @BeforeAll
  static void open() throws IOException {
    for (String name : List.of("v1", "v2", "models", "addsub")) {
      TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve(name + "/1"));
    }
    collector = new OtlpCollector();
    server =
        RunningServer.start(
            RecordCopy.with(
                RunningServer.settings(models),
                "observability.tracing",
                collector.tracing("sluice")));
    caller = new HttpCaller(server.port());
  }

  @AfterAll
  static void nothingIsLeftOpen() {
    caller.close();
    server.close();
    collector.close();
  }

  /** Asks, and returns the trace. */
  private static String ask(String method, String target, String body) {
    String trace = "%032x".formatted(NEXT.incrementAndGet());
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap()
            .add("traceparent", "00-" + trace + "-00f067aa0ba902b7-01");
    var _ = caller.send(method, target, headers, Buffer.buffer(body));
    return trace;
  }

  private static Span spanOf(String trace) {
    return collector.trace(trace).stream()
        .filter(span -> span.getKind() == Span.SpanKind.SPAN_KIND_SERVER)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /v1/models/v1:predict, /v1/models/{model}:predict, v1",
    "POST, /v1/models/models/versions/1:predict,"
        + " /v1/models/{model}/versions/{version}:predict, models",
    "POST, /v1/models/a/labels/b:predict, /v1/models/{model}/labels/{label}:predict, a",
    "POST, /v1/models/a%2Fb:predict, /v1/models/{model}:predict, a/b",
    "GET, /v1/models, /v1/models,",
    "GET, /v1/models/v1, /v1/models/{model}, v1",
    "GET, /v1/models/v1/metadata, /v1/models/{model}/metadata, v1",
    "GET, /v2, /v2,",
    "GET, /v2/models, /v2/models,",
    "GET, /v2/models/stats, /v2/models/stats,",
    "GET, /v2/models/addsub, /v2/models/{model}, addsub",
    "GET, /v2/models/addsub/versions/1, /v2/models/{model}/versions/{version}, addsub",
    "GET, /v2/models/addsub/config, /v2/models/{model}/config, addsub",
    "POST, /v2/models/v2/infer, /v2/models/{model}/infer, v2",
    "POST, /v2/models/v2/versions/1/infer, /v2/models/{model}/versions/{version}/infer, v2",
    "POST, /v2/repository/index, /v2/repository/index,",
    "POST, /v2/repository/models/v2/load, /v2/repository/models/{model}/load, v2",
    "GET, /v2/models/v2/infer, /v2/models/{model}/infer,",
    "POST, /rerank, /rerank,",
    "POST, /grps/v1/metadata/model, /grps/v1/metadata/model,",
    "GET, /console, /console,",
    "GET, /console/app.js, /console/{file},",
  })
  void spanIsNamedByThePathThatWasMatched(
      String method, String target, String route, @Nullable String model) {
    Span span = spanOf(ask(method, target, "{}"));

    assertThat(span.getName()).isEqualTo(method + " " + route);
    assertThat(attributes(span)).containsEntry("http.route", route);
    assertThat(attributes(span).get("sluice.model.name")).isEqualTo(model);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "/v1/chat/completions, chat, `\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]`",
        "/v1/chat/completions, talker, `\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]`",
        "/openai/v1/completions, openai, \"prompt\":\"a\"",
        "/v1/embeddings, v1, \"input\":\"a\"",
      })
  void modelThatABodyNamesIsNoPartOfTheRoute(String path, String model, String rest) {
    Span span = spanOf(ask("POST", path, "{\"model\":\"" + model + "\"," + rest + "}"));

    assertThat(span.getName()).isEqualTo("POST " + path);
    assertThat(attributes(span))
        .containsEntry("http.route", path)
        .containsEntry("sluice.model.name", model);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/no/such/path",
        "/v1/models/versions/3",
        "/v2/models/v2/nothing",
        "/v2/nothing",
        "/grps/v1/nothing",
        "/console/nothing.js",
        "/v1/chat/completions/more"
      })
  void pathThatNothingServesHasNoRoute(String target) {
    Span span = spanOf(ask("POST", target, "{}"));

    assertThat(span.getName()).isEqualTo("POST");
    assertThat(attributes(span)).doesNotContainKey("http.route").containsEntry("url.path", target);
  }

  @Test
  void whatIsAskedForAgainAndAgainHasNoSpan() {
    List<String> polls =
        List.of(
            ask("GET", "/console.json", ""),
            ask("GET", "/console/history.json", ""),
            ask("GET", "/console/model.json?name=v2", ""),
            ask("GET", "/grps/v1/monitor/series?name=*qps", ""),
            ask("GET", "/openapi", ""),
            ask("GET", "/openapi/v2.json", ""),
            ask("GET", "/metrics", ""),
            ask("GET", "/v2/health/ready", ""),
            ask("GET", "/v2/models/v2/ready", ""));
    collector.trace(ask("GET", "/v2", ""));

    assertThat(collector.await("any", _ -> true)).noneMatch(span -> polls.contains(traceId(span)));
  }
}
