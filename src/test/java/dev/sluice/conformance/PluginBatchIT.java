package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A plugin that takes several requests in one call, as the settings of its queue let it. */
@Timeout(60)
class PluginBatchIT {
  /** Longer than any test: a batch leaves as it is full, or as it has a preferred size. */
  private static final String FOUR =
      "max_batch_size: 4\nmax_queue_delay: 100s\npreferred_batch_size: [4]\n";

  private static final String TWO =
      "max_batch_size: 4\nmax_queue_delay: 100s\npreferred_batch_size: [2]\n";

  private static final String GATE = "sluice.test.counted.gate";
  private static final String PENDING =
      "nv_inference_pending_request_count{model=\"waiting\",version=\"1\"} 3";

  @TempDir static Path models;
  private static RunningServer server;
  private static HttpClient http;

  @BeforeAll
  static void start() throws IOException {
    pairs("four", FOUR);
    pairs("failing", FOUR);
    pairs("two", TWO);
    pairs("alone", "max_queue_delay: 100s\n");
    pairs("waiting", "max_batch_size: 4\n");
    server = RunningServer.startWithPlugins(models);
    http = HttpClient.newHttpClient();
  }

  private static void pairs(String name, String settings) throws IOException {
    new PluginJar().file("Counted").service("Model", "Counted").into(models.resolve(name + "/1"));
    Files.writeString(models.resolve(name).resolve("model.yml"), settings);
  }

  @AfterAll
  static void stop() {
    System.getProperties().remove(GATE);
    http.close();
    server.close();
    assertThat(TensorMemory.openBlocks()).isZero();
  }

  private static CompletableFuture<HttpResponse<String>> infer(String model, float... x) {
    return send(request(model, x).build());
  }

  private static CompletableFuture<HttpResponse<String>> send(HttpRequest request) {
    return http.sendAsync(request, BodyHandlers.ofString());
  }

  private static HttpRequest.Builder request(String model, float... x) {
    return request(model, "infer", x);
  }

  private static HttpRequest.Builder request(String model, String operation, float... x) {
    return HttpRequest.newBuilder(
            URI.create(server.url() + "/v2/models/" + model + "/" + operation))
        .POST(
            BodyPublishers.ofString(
                "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[%d],\"data\":%s}]}"
                    .formatted(x.length, Arrays.toString(x))));
  }

  /** What the code says of a request: its numbers doubled, and how many were in its call. */
  private static void assertAnswered(
      CompletableFuture<HttpResponse<String>> answer, int together, String doubled) {
    assertThat(answer.join().body())
        .contains("\"data\":[" + doubled + "]", "\"data\":[" + together + "]");
  }

  @Test
  void requestsOfDifferentShapesAreOneCallOnceTheyFillTheBatch() {
    var answers =
        List.of(infer("four", 1), infer("four", 2, 3), infer("four"), infer("four", 4, 5, 6));
    assertAnswered(answers.get(0), 4, "2.0");
    assertAnswered(answers.get(1), 4, "4.0,6.0");
    assertAnswered(answers.get(2), 4, "");
    assertAnswered(answers.get(3), 4, "8.0,10.0,12.0");
    String statistics =
        send(HttpRequest.newBuilder(URI.create(server.url() + "/v2/models/four/stats")).build())
            .join()
            .body();
    assertThat(statistics)
        .contains("\"inference_count\":4", "\"execution_count\":1", "\"batch_size\":4");
  }

  @Test
  void aBatchOfAPreferredSizeDoesNotWaitForMore() {
    var answers = List.of(infer("two", 1), infer("two", 2));
    assertAnswered(answers.get(0), 2, "2.0");
    assertAnswered(answers.get(1), 2, "4.0");
  }

  @Test
  void withoutABatchSizeEachRequestIsACall() {
    assertAnswered(infer("alone", 1), 1, "2.0");
  }

  @Test
  void aRefusalIsOfItsRequestAlone() {
    var answers =
        List.of(
            infer("failing", 1), infer("failing", -1), infer("failing", 2), infer("failing", 3));
    assertAnswered(answers.get(0), 4, "2.0");
    assertThat(answers.get(1).join().statusCode()).isEqualTo(400);
    assertThat(answers.get(1).join().body()).contains("-1 is refused");
    assertAnswered(answers.get(2), 4, "4.0");
    assertAnswered(answers.get(3), 4, "6.0");
  }

  @Test
  void requestsOfACallThatThrowsRunOneByOneAndTheCulpritFails() {
    var answers = List.of(infer("two", 1), infer("two", -2));
    assertAnswered(answers.get(0), 1, "2.0");
    assertThat(answers.get(1).join().statusCode()).isEqualTo(500);
    assertThat(answers.get(1).join().body()).contains("-2 breaks all");
  }

  @Test
  void anAnswerThatIsNotWhatWasDeclaredFailsItsRequestAlone() {
    var answers = List.of(infer("two", -5), infer("two", 1));
    assertThat(answers.get(0).join().statusCode()).isEqualTo(500);
    assertAnswered(answers.get(1), 2, "2.0");
  }

  @Test
  void aRequestWhoseTimeIsUpSaysSoToTheCodeAndTheOthersAreAnswered() {
    var late = send(request("two", -3).header("Request-Timeout", "2s").build());
    var other = infer("two", 1);
    assertThat(late.join().statusCode()).isEqualTo(504);
    assertAnswered(other, 2, "2.0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"infer", "infer_stream"})
  void aRequestWhoseTimeIsUpIsAnsweredWhileItsCallGoesOn(String operation) {
    var gate = new Semaphore(0);
    System.getProperties().put(GATE, gate);
    var late = send(request("two", operation, 1).header("Request-Timeout", "2s").build());
    var other = infer("two", -6);
    assertThat(late.join().statusCode()).isEqualTo(504);
    assertThat(other).isNotDone();
    gate.release();
    assertAnswered(other, 2, "-12.0");
  }

  @Test
  void codeIsInterruptedOnceAllOfItsCallersWaitNoLonger() {
    var late = send(request("waiting", -4).header("Request-Timeout", "500ms").build());
    assertThat(late.join().statusCode()).isEqualTo(504);
    assertAnswered(infer("waiting", 1), 1, "2.0");
  }

  @Test
  void requestsThatComeWhileTheCodeIsBusyAreOneCallAfterwards() {
    var gate = new Semaphore(0);
    System.getProperties().put(GATE, gate);
    var busy = infer("waiting", -6);
    Polling.await("the code is busy", gate::hasQueuedThreads);
    var answers = List.of(infer("waiting", 1), infer("waiting", 2), infer("waiting", 3));
    Polling.await("all wait", () -> metrics().contains(PENDING));
    gate.release();
    assertAnswered(busy, 1, "-12.0");
    assertAnswered(answers.get(0), 3, "2.0");
    assertAnswered(answers.get(1), 3, "4.0");
    assertAnswered(answers.get(2), 3, "6.0");
  }

  private static String metrics() {
    return send(HttpRequest.newBuilder(URI.create(server.url() + "/metrics")).build())
        .join()
        .body();
  }
}
