package dev.sluice.conformance.kserve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.KserveConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.V1Dialect;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.ConformanceCase;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** KServe V1 over HTTP, on a listener it shares with TensorFlow Serving and on one of its own. */
class KserveConformanceIT {
  private static final Path MODELS = Path.of("src/test/models/oip");
  private static final String PREDICT = "/v1/models/v1fp:predict";
  private static final Buffer EVENT =
      Buffer.buffer(
          "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"s\",\"type\":\"t\",\"subject\":\"me\","
              + "\"data\":{\"instances\":[[1,2,3,4]]},\"hops\":3}");

  private static RunningServer shared;
  private static RunningServer alone;
  private static HttpCaller sharedCaller;
  private static HttpCaller aloneCaller;

  @BeforeAll
  static void start() {
    shared = RunningServer.start(MODELS);
    alone = RunningServer.start(alone(MODELS));
    sharedCaller = new HttpCaller(shared.port());
    aloneCaller = new HttpCaller(alone.port());
  }

  private static SluiceConfig alone(Path models) {
    return RecordCopy.with(
        RunningServer.settings(
            RecordCopy.with(ListenerConfig.DEFAULT.withPort(0), "v1", V1Dialect.KSERVE),
            RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ZERO)),
        "protocols.kserve",
        new KserveConfig("answer", Optional.of("/here"), true));
  }

  @AfterAll
  static void stop() {
    sharedCaller.close();
    aloneCaller.close();
    shared.close();
    alone.close();
  }

  static Stream<ConformanceCase> common() {
    return ConformanceCase.of("kserve/v1").stream();
  }

  static Stream<ConformanceCase> onlyAlone() {
    return ConformanceCase.of("kserve/v1-alone").stream();
  }

  static Stream<ConformanceCase> onlyShared() {
    return ConformanceCase.of("kserve/v1-shared").stream();
  }

  static Stream<ConformanceCase> events() {
    return ConformanceCase.of("kserve/cloudevents").stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"common", "onlyShared", "events"})
  void aSharedListenerAnswersAsRecorded(ConformanceCase each) {
    replay(each, sharedCaller);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"common", "onlyAlone"})
  void aListenerOfItsOwnAnswersAsRecorded(ConformanceCase each) {
    replay(each, aloneCaller);
  }

  static Stream<ConformanceCase> broken() {
    return ConformanceCase.of("kserve/not-ready").stream();
  }

  @Test
  void aModelThatCannotBeLoadedIsNotReady() {
    try (var server = RunningServer.start(alone(Path.of("src/test/models/broken")));
        var caller = new HttpCaller(server.port())) {
      broken().forEach(each -> replay(each, caller));
    }
  }

  private static void replay(ConformanceCase each, HttpCaller caller) {
    long blocks = TensorMemory.openBlocks();
    each.replay(caller);
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocks);
  }

  /** The sum of all rows is no row for each of them. */
  @Test
  void everyInstanceHasItsOwnPredictionOrThereAreNone(@TempDir Path models) throws IOException {
    Path version = Files.createDirectories(models.resolve("sum/1"));
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "rows", "2")
        .integers("along", 0)
        .output("y", OnnxModelWriter.FLOAT, "one", "2")
        .node("ReduceSum", "y", "x", "along")
        .writeTo(version);
    Buffer three = Buffer.buffer("{\"instances\":[[1,2],[3,4],[5,6]]}");
    try (var server = RunningServer.start(alone(models));
        var caller = new HttpCaller(server.port())) {
      var answer = caller.send("POST", "/v1/models/sum:predict", three);
      assertThat(answer.status()).isEqualTo(500);
      assertThat(answer.text())
          .contains("output 'y' of the model has 1 rows for 3 instances; wanted one for each");
      Buffer one = Buffer.buffer("{\"instances\":[[1,2]]}");
      assertThat(caller.send("POST", "/v1/models/sum:predict", one).text())
          .isEqualTo("{\"predictions\":[[1.0,2.0]]}");
    }
    try (var server = RunningServer.start(models);
        var caller = new HttpCaller(server.port())) {
      assertThat(caller.send("POST", "/v1/models/sum:predict", three).status())
          .as("as TensorFlow Serving")
          .isEqualTo(200);
    }
  }

  @Test
  void everyAnswerIsAnEventOfItsOwn() {
    JsonObject first = new JsonObject(structured(sharedCaller).body());
    JsonObject second = new JsonObject(structured(sharedCaller).body());
    assertThat(first.getString("id")).isNotEqualTo("1").isNotEqualTo(second.getString("id"));
    assertThat(first.getString("time")).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
    assertThat(first.fieldNames()).doesNotContain("subject", "hops");
  }

  @Test
  void mergedAnswersRepeatWhatTheEventSaysBeyondItsOwn() {
    JsonObject event = new JsonObject(structured(aloneCaller).body());
    assertThat(event.getString("subject")).isEqualTo("me");
    assertThat(event.getInteger("hops")).isEqualTo(3);
    assertThat(event.getString("type")).isEqualTo("answer");
    assertThat(event.getString("source")).isEqualTo("/here");
    assertThat(event.getString("id")).isNotEqualTo("1");
  }

  @Test
  void mergedHeadersAreRepeatedToo() {
    MultiMap headers =
        headers(
            "ce-specversion",
            "1.0",
            "ce-id",
            "1",
            "ce-source",
            "s",
            "ce-type",
            "t",
            "CE-Hops",
            "3");
    var answer =
        aloneCaller.send("POST", PREDICT, headers, Buffer.buffer("{\"instances\":[[1,2,3,4]]}"));
    assertThat(answer.headers().get("ce-hops")).isEqualTo("3");
    assertThat(answer.headers().get("ce-source")).isEqualTo("/here");
    assertThat(answer.headers().get("ce-type")).isEqualTo("answer");
    assertThat(answer.headers().get("ce-id")).isNotEqualTo("1");
  }

  private static HttpCaller.Answer structured(HttpCaller caller) {
    return caller.send(
        "POST", PREDICT, headers("content-type", "application/cloudevents+json"), EVENT);
  }

  private static MultiMap headers(String... namesAndValues) {
    var headers = MultiMap.caseInsensitiveMultiMap();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.add(namesAndValues[i], namesAndValues[i + 1]);
    }
    return headers;
  }
}
