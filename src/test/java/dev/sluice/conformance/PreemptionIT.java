package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Polling;
import dev.sluice.testing.PrometheusPage;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streamed texts of a model that has memory for the caches of few of them, of two priorities. */
class PreemptionIT {
  private static final Path CHAT = TestModels.sample("chat", "");
  private static final int STREAMS = 6;

  @TempDir private static Path models;

  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() throws IOException {
    Path chat = models.resolve("chat");
    TestModels.copy(CHAT, chat);
    Files.writeString(
        chat.resolve("model.yml"),
        Files.readString(CHAT.resolve("model.yml")).stripTrailing()
            + "\n  cache_memory: 800KiB\npriority_levels: 2\ndefault_priority_level: 2\n");
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  /** Half of them choose at random, with penalties. */
  private static String body(int stream, int priority) {
    String chosen =
        stream % 2 == 0
            ? "\"temperature\": 0"
            : "\"temperature\": 1.2, \"seed\": %d, \"repetition_penalty\": 1.2".formatted(stream);
    return """
    {"text": "What is %d and %d?", "max_tokens": 200, "ignore_eos": true, "logprobs": 2,
     "parameters": {"priority": %d}, %s}
    """
        .formatted(stream, 3 * stream, priority, chosen);
  }

  private static List<JsonNode> events(int stream, int priority) {
    Answer answer = http.post("/v2/models/chat/generate_stream", body(stream, priority));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.events();
  }

  private static double metric(String name) {
    String page = http.send("GET", "/metrics", Buffer.buffer()).text();
    return new PrometheusPage(page).sum(name, "model", "chat");
  }

  private static void assertSame(List<JsonNode> events, List<JsonNode> wanted) {
    assertThat(texts(events, "text")).isEqualTo(texts(wanted, "text"));
    assertThat(texts(events, "tokens")).isEqualTo(texts(wanted, "tokens"));
    assertThat(texts(events, "completion_tokens")).isEqualTo(texts(wanted, "completion_tokens"));
    assertThat(texts(events, "prompt_tokens")).isEqualTo(texts(wanted, "prompt_tokens"));
    assertThat(texts(events, "finish_reason")).isEqualTo(texts(wanted, "finish_reason"));
    for (int i = 0; i < events.size(); i++) {
      assertThat(events.get(i).at("/token_logprobs").asDouble())
          .isCloseTo(wanted.get(i).at("/token_logprobs").asDouble(), Offset.offset(1e-2));
    }
  }

  private static List<String> texts(List<JsonNode> events, String name) {
    return events.stream().map(event -> event.at("/" + name).asText()).toList();
  }

  @Test
  void readersOfPreemptedStreamsGetWhatTheyGetAlone() throws Exception {
    var wanted = new ArrayList<List<JsonNode>>();
    for (int i = 0; i < 2 * STREAMS; i++) {
      wanted.add(events(i, 2));
      assertThat(wanted.get(i)).hasSizeGreaterThanOrEqualTo(200);
    }
    double before = metric("sluice_stream_preemptions_total");
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      var reads = new ArrayList<Future<List<JsonNode>>>();
      for (int i = 0; i < STREAMS; i++) {
        reads.add(readers.submit(reading(i, 2)));
      }
      Polling.await("one has begun", () -> metric("sluice_stream_cache_bytes") > 0);
      for (int i = STREAMS; i < 2 * STREAMS; i++) {
        reads.add(readers.submit(reading(i, 1)));
      }
      for (int i = 0; i < reads.size(); i++) {
        assertSame(reads.get(i).get(), wanted.get(i));
      }
    }
    assertThat(metric("sluice_stream_preemptions_total")).isGreaterThan(before);
    assertThat(metric("sluice_stream_cache_bytes")).isZero();
    assertThat(metric("sluice_streams_waiting_for_cache")).isZero();
  }

  private static Callable<Integer> asking(String path, String prompt, int priority) {
    String body =
        "{\"model\": \"chat\", %s, \"ignore_eos\": true, \"temperature\": 0, \"priority\": %d}"
            .formatted(prompt, priority);
    return () -> http.send("POST", path, Buffer.buffer(body)).status();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /v1/completions      | "prompt": "What is", "max_tokens": 200
          /v1/chat/completions | "messages": [{"role": "user", "content": "What?"}], "max_tokens": 200
          /v1/responses        | "input": "What?", "max_output_tokens": 200
          """)
  void requestsOfOpenAiHaveAPriority(String path, String prompt) throws Exception {
    double before = metric("sluice_stream_preemptions_total");
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers = new ArrayList<Future<Integer>>();
      for (int i = 0; i < STREAMS; i++) {
        answers.add(readers.submit(asking(path, prompt, 2)));
      }
      Polling.await("one has begun", () -> metric("sluice_stream_cache_bytes") > 0);
      for (int i = 0; i < STREAMS; i++) {
        answers.add(readers.submit(asking(path, prompt, 1)));
      }
      for (Future<Integer> answer : answers) {
        assertThat(answer.get()).isEqualTo(200);
      }
    }
    assertThat(metric("sluice_stream_preemptions_total")).isGreaterThan(before);
  }

  private static Callable<List<JsonNode>> reading(int stream, int priority) {
    return () -> events(stream, priority);
  }
}
