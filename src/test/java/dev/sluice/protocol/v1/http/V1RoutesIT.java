package dev.sluice.protocol.v1.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.protocol.kserve.http.EventAttributes;
import dev.sluice.protocol.kserve.http.KserveDialect;
import dev.sluice.protocol.tfs.http.TfsDialect;
import dev.sluice.security.ListenerAccess;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.ConformanceCase;
import dev.sluice.testing.FakePlanes;
import dev.sluice.testing.FakeTfsModels;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.connection.RequestMemory;
import dev.sluice.transport.http.HttpDispatcher;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The V1 paths over HTTP, in front of models that are Java functions. */
class V1RoutesIT {
  private static final FakePlanes PLANES = FakeTfsModels.all();

  private static Vertx vertx;
  private static HttpCaller both;
  private static HttpCaller tensorflow;
  private static HttpCaller kserve;

  @BeforeAll
  static void listen() {
    vertx = Vertx.vertx();
    both = callerOf(new TfsDialect(), new KserveDialect(EventAttributes.DEFAULT));
    tensorflow = callerOf(new TfsDialect());
    kserve = callerOf(new KserveDialect(EventAttributes.DEFAULT));
  }

  private static HttpCaller callerOf(V1Dialect... dialects) {
    var context =
        new ListenerContext(
            vertx,
            LimitsConfig.DEFAULT,
            new ListenerAccess(ListenerConfig.DEFAULT, SecurityConfig.DEFAULT, List.of()),
            Telemetry.unseen(),
            System::nanoTime,
            new RequestMemory(
                new MemoryBudget(LimitsConfig.DEFAULT.memoryBudget()), false, System::nanoTime));
    var routes = new V1Routes(PLANES, PLANES, PLANES, List.of(dialects), List.of());
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(new HttpDispatcher(List.of(routes), context, false)::accept)
            .listen(0, "localhost")
            .toCompletionStage()
            .toCompletableFuture()
            .join();
    return new HttpCaller(server.actualPort());
  }

  @AfterAll
  static void close() {
    Stream.of(both, tensorflow, kserve).forEach(HttpCaller::close);
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  static Stream<ConformanceCase> cases() {
    return Stream.of(
            "rows", "columns", "values", "structure", "syntax", "lookup", "routes", "status")
        .flatMap(group -> ConformanceCase.of("tfs/" + group).stream())
        .filter(V1RoutesIT::isServedHere);
  }

  /**
   * One signature takes every type at once: its many inputs are left to the real model. The root
   * belongs to another face.
   */
  private static boolean isServedHere(ConformanceCase each) {
    return !each.data().path("body").asText().contains("all_types")
        && !each.data().path("path").asText().equals("/");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void answersAsRecorded(ConformanceCase each) {
    long blocks = TensorMemory.openBlocks();
    each.replay(both);
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocks);
    assertThat(PLANES.leases()).isZero();
  }

  @Test
  void theListNamesAllModels() {
    assertThat(get(both, "/v1/models").text())
        .isEqualTo(
            "{\"models\":[\"addsub\",\"counter\",\"gone\",\"half_plus_two\","
                + "\"half_plus_two_2_versions\",\"loading\",\"opt\",\"typed_io\"]}");
  }

  @Test
  void aTensorflowListenerHasNoList() {
    assertRefused(tensorflow, "GET", "/v1/models", 400, "Missing model name in request.");
    assertRefused(
        tensorflow,
        "POST",
        "/v1/models/addsub:explain",
        400,
        "Malformed request: POST /v1/models/addsub:explain");
  }

  @Test
  void aKserveListenerTellsNameAndReadinessAlone() {
    assertThat(get(kserve, "/v1/models/addsub").text())
        .isEqualTo("{\"name\":\"addsub\",\"ready\":true}");
    assertThat(get(tensorflow, "/v1/models/addsub").text())
        .isEqualTo(
            "{\"model_version_status\":[{\"version\":\"1\",\"state\":\"AVAILABLE\","
                + "\"status\":{\"error_code\":\"OK\",\"error_message\":\"\"}}]}");
  }

  @ParameterizedTest(name = "{0} {1} gives {2}")
  @CsvSource(
      textBlock =
          """
          GET,  /v1/models/foo,                 404, Model with name foo does not exist.
          GET,  /v1/models/loading,             503, Model with name loading is not ready.
          POST, /v1/models/foo:explain,         404, Model with name foo does not exist.
          POST, /v1/models/addsub:explain,      501, 'model "addsub" has no explainer'
          POST, /v1/models/foo:predict,         404, Model with name foo does not exist.
          POST, /v1/models/a:b:predict,         404, Model with name a:b does not exist.
          """)
  void aKserveListenerRefusesInItsOwnWords(String method, String path, int status, String text) {
    assertRefused(kserve, method, path, status, text);
  }

  @ParameterizedTest(name = "{0} {1} gives {2}")
  @CsvSource(
      textBlock =
          """
          GET,  /v1/models/addsub:predict,      405, Method Not Allowed
          DELETE, /v1/models,                   405, Method Not Allowed
          POST, /v1/models/addsub:classify,     404, Not Found
          GET,  /v1/models/addsub/versions/1,   404, Not Found
          GET,  /v1/other,                      404, Not Found
          """)
  void aKserveListenerTellsTheDetailOfPathsItDoesNotHave(
      String method, String path, int status, String text) {
    Answer answer = kserve.send(method, path, Buffer.buffer());
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.text()).isEqualTo("{\"detail\":\"" + text + "\"}");
  }

  @ParameterizedTest
  @CsvSource({"GET, /v1/models/addsub:predict, POST", "DELETE, /v1/models, GET"})
  void aKserveListenerNamesTheMethodThatAPathAllows(String method, String path, String allowed) {
    assertThat(kserve.send(method, path, Buffer.buffer()).headers().get("Allow"))
        .isEqualTo(allowed);
  }

  @Test
  void aLoadingModelIsReportedAndNotReady() {
    Answer answer = get(both, "/v1/models/loading");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).contains("\"state\":\"LOADING\"").endsWith("\"ready\":false}");
  }

  @Test
  void askingALoadingModelSaysHowFarItIs() {
    Answer answer = post(both, "/v1/models/loading:predict", "{\"instances\":[1]}");
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.text())
        .isEqualTo("{\"error\":\"Servable not ready for request: Latest(loading)\"}");
  }

  @Test
  void aVersionThatEndedIsNotFound() {
    Answer answer = post(both, "/v1/models/gone/versions/4:predict", "{\"instances\":[1]}");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.text())
        .isEqualTo("{\"error\":\"Servable not found for request: Specific(gone, 4)\"}");
  }

  @Test
  void shapesOfModelsThatBindThemAreChecked() {
    Answer answer =
        post(
            both,
            "/v1/models/addsub:predict",
            "{\"inputs\":{\"INPUT0\":[[1,2,3]],\"INPUT1\":[[1,2]]}}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text())
        .isEqualTo(
            "{\"error\":\"input \\\"INPUT0\\\" has shape [1,3], model \\\"addsub\\\" takes"
                + " [-1,2]\"}");
  }

  @Test
  void aLargeBodyIsDecodedOnAWorkerAndAnsweredAsAnyOther() {
    String ones = "1.5,".repeat(300_000) + "1.5";
    Answer answer =
        post(both, "/v1/models/typed_io:predict", request("echo_f32", "[" + ones + "]"));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{\"predictions\":[" + ones + "]}");
  }

  private static String request(String signature, String rows) {
    return "{\"signature_name\":\"" + signature + "\",\"instances\":" + rows + "}";
  }

  private static Answer get(HttpCaller caller, String path) {
    return caller.send("GET", path, Buffer.buffer());
  }

  private static Answer post(HttpCaller caller, String path, String body) {
    return caller.send("POST", path, Buffer.buffer(body));
  }

  private static void assertRefused(
      HttpCaller caller, String method, String path, int status, String text) {
    Answer answer = caller.send(method, path, Buffer.buffer());
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.text()).isEqualTo("{\"error\":\"" + text.replace("\"", "\\\"") + "\"}");
  }
}
