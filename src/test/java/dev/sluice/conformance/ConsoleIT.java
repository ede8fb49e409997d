package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page for browsers, what it shows, and grps' monitor. */
@Timeout(60)
class ConsoleIT {
  @TempDir static Path models;

  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() throws IOException {
    Path broken = Files.createDirectories(models.resolve("<b>broken/1"));
    Files.writeString(broken.resolve("model.onnx"), "no model");
    server = start(Set.of(Protocol.values()));
    http = new HttpCaller(server.port());
  }

  private static RunningServer start(Set<Protocol> protocols) {
    ListenerConfig usual = ListenerConfig.DEFAULT;
    var listener =
        new ListenerConfig(
            usual.host(),
            0,
            protocols,
            usual.v1(),
            usual.metricsPath(),
            ControlAccess.POLICY,
            false,
            Optional.empty());
    String halves = TestModels.sample("half_plus_two", "").toString();
    SluiceConfig config =
        new SluiceConfigReader(_ -> {})
            .read(
                Optional.empty(),
                Map.of(),
                List.of(
                    new SettingOverride("models.directory", models.toString(), "test"),
                    new SettingOverride("models.list.half_plus_two", halves, "test")));
    return RunningServer.start(config.with(List.of(listener), config.repository()));
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static Answer get(String target, String accept) {
    var headers = MultiMap.caseInsensitiveMultiMap().add("Accept", accept);
    return http.send("GET", target, headers, Buffer.buffer());
  }

  private static JsonObject json(String target) {
    Answer answer = get(target, "*/*");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.contentType()).isEqualTo("application/json");
    return new JsonObject(answer.body());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/console", "/console/", "/grps/v1/monitor/metrics"})
  void aBrowserGetsThePage(String path) {
    Answer page = get(path, "text/html,application/xhtml+xml,*/*;q=0.8");
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.contentType()).isEqualTo("text/html; charset=utf-8");
    assertThat(page.text()).startsWith("<!doctype html>").contains("<title>Sluice</title>");
    assertThat(get("/" + styleOf(path, page.text()), "*/*").contentType())
        .isEqualTo("text/css; charset=utf-8");
  }

  /** Where the page's link to its style leads, without the first slash. */
  private static String styleOf(String path, String page) {
    Matcher link = Pattern.compile("href=\"([^\"]*console/style.css)\"").matcher(page);
    assertThat(link.find()).as(page).isTrue();
    return URI.create("http://x" + path).resolve(link.group(1)).getPath().substring(1);
  }

  @Test
  void otherClientsThanBrowsersGetTheLivenessText() {
    Answer answer = get("/", "*/*");
    assertThat(answer.contentType()).isEqualTo("application/json");
    assertThat(answer.text()).isEqualTo("{\"status\":\"alive\"}");
    assertThat(answer.headers().get("Vary")).isEqualToIgnoringCase("Accept");
  }

  @Test
  void thePageRunsOnlyFilesOfTheServer() {
    Answer page = get("/", "text/html");
    String policy = page.headers().get("Content-Security-Policy");
    assertThat(policy).contains("default-src 'none'", "connect-src 'self'", "script-src 'self'");
    assertThat(policy).doesNotContain("unsafe", "http");
    assertThat(page.text())
        .doesNotContain("<style", "style=\"", "onclick", "https://")
        .doesNotContainPattern("<script(?![^>]* src=)");
  }

  @Test
  void noScriptOfThePageMakesMarkupOfData() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/main/resources/dev/sluice/ops/console"))) {
      List<Path> scripts = files.filter(file -> file.toString().endsWith(".js")).toList();
      assertThat(scripts).hasSizeGreaterThan(10);
      for (Path script : scripts) {
        assertThat(Files.readString(script))
            .as(script.toString())
            .doesNotContain(
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")
            .doesNotContain("setAttribute('style'");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "app.js, text/javascript; charset=utf-8",
    "chart.js, text/javascript; charset=utf-8",
    "style.css, text/css; charset=utf-8",
    "icon.svg, image/svg+xml"
  })
  void aFileIsSentAgainOnlyIfItChanged(String name, String type) {
    Answer file = get("/console/" + name, "*/*");
    assertThat(file.status()).isEqualTo(200);
    assertThat(file.contentType()).isEqualTo(type);
    assertThat(file.headers().get("X-Content-Type-Options")).isEqualTo("nosniff");
    var known = MultiMap.caseInsensitiveMultiMap().add("If-None-Match", file.headers().get("ETag"));
    assertThat(http.send("GET", "/console/" + name, known, Buffer.buffer()).status())
        .isEqualTo(304);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console/none.js",
        "/console/../console.html",
        "/console/..%2findex.html",
        "/console/index.html",
        "/console/ConsoleFiles.class",
        "/console/a/b.js",
        "/console//etc/passwd"
      })
  void nothingElseIsAFileOfTheConsole(String path) {
    assertThat(get(path, "*/*").status()).isEqualTo(404);
  }

  @Test
  void theHistoryOfTheServerIsThereForAPageThatIsOpenedLater() {
    JsonObject figures;
    do {
      figures = json("/console/history.json").getJsonObject("figures");
    } while (figures.getJsonArray("time_ms").size() < 2);
    int points = figures.getJsonArray("time_ms").size();
    for (String figure :
        List.of(
            "requests_per_second",
            "failed_percent",
            "p50_ms",
            "p99_ms",
            "rows_per_run",
            "processor_percent",
            "queued",
            "resident_bytes",
            "heap_bytes",
            "lag_ms")) {
      assertThat(figures.getJsonArray(figure)).as(figure).hasSize(points);
    }
    assertThat(figures.getJsonArray("heap_bytes").getDouble(0)).isPositive();
    long first = figures.getJsonArray("time_ms").getLong(0);
    JsonObject later = json("/console/history.json?span=minutes&after_ms=" + first);
    assertThat(later.getJsonObject("figures").getJsonArray("time_ms").getLong(0))
        .isGreaterThan(first);
    assertThat(json("/console/history.json?span=day").getInteger("step_seconds")).isEqualTo(120);
  }

  @Test
  void aModelHasAHistoryAndAnUnknownOneHasNone() {
    JsonObject history = json("/console/history.json?model=half_plus_two");
    assertThat(history.getInteger("step_seconds")).isEqualTo(5);
    assertThat(history.getJsonObject("figures").fieldNames())
        .containsExactlyInAnyOrder(
            "time_ms",
            "requests_per_second",
            "failed_percent",
            "p50_ms",
            "p99_ms",
            "rows_per_run",
            "queued");
    Answer unknown = get("/console/history.json?model=nobody", "*/*");
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(unknown.text()).contains("the server has no model 'nobody'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"span=years", "span=minutes&after_ms=now", "after_ms=-1"})
  void aHistoryThatThereIsNotIsRefused(String query) {
    Answer answer = get("/console/history.json?" + query, "*/*");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains("wanted span=minutes");
  }

  @Test
  void aModelSaysHowItIsAsked() {
    JsonObject halves = json("/console/model.json?name=half_plus_two");
    JsonObject input =
        halves.getJsonArray("versions").getJsonObject(1).getJsonArray("signatures").stream()
            .map(JsonObject.class::cast)
            .filter(signature -> signature.getString("name").equals("serving_default"))
            .map(signature -> signature.getJsonArray("inputs").getJsonObject(0))
            .findFirst()
            .orElseThrow();
    assertThat(input.getString("name")).isEqualTo("x");
    assertThat(input.getString("type")).isEqualTo("FP32");
    assertThat(input.getJsonArray("shape")).containsExactly(-1);
    assertThat(halves.getJsonObject("rights").getString("infer")).isEmpty();
    assertThat(json("/console/model.json?name=%3Cb%3Ebroken").getBoolean("known")).isTrue();
    assertThat(json("/console/model.json?name=none").getBoolean("known")).isFalse();
    assertThat(json("/console/model.json").getBoolean("known")).isFalse();
  }

  private static JsonObject model(JsonObject state, String name) {
    return state.getJsonArray("models").stream()
        .map(JsonObject.class::cast)
        .filter(model -> model.getString("name").equals(name))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/grps/v1/js/jquery_min", "/grps/v1/js/flot_min"})
  void theOldScriptsOfGrpsPageAreNotServed(String script) {
    assertThat(get(script, "*/*").status()).isEqualTo(404);
    assertThat(get("/grps/v1/monitor/metrics", "text/html").text())
        .doesNotContain("/js/", "jquery", "flot");
  }

  @Test
  void thePageListsEveryModel() {
    JsonObject state = json("/console.json");
    assertThat(state.getBoolean("online")).isFalse();
    assertThat(state.getBoolean("ready")).isFalse();
    JsonObject reason = state.getJsonArray("not_ready").getJsonObject(0);
    assertThat(state.getJsonArray("not_ready")).hasSize(1);
    assertThat(reason.getString("model")).isEqualTo("<b>broken");
    assertThat(reason.getString("version")).isEqualTo("1");
    assertThat(reason.getString("reason")).contains("Protobuf parsing failed");
    JsonObject halves = model(state, "half_plus_two").getJsonArray("versions").getJsonObject(0);
    assertThat(halves.getString("state")).isEqualTo("available");
    assertThat(halves.getInteger("waiting")).isZero();
    JsonObject broken = model(state, "<b>broken").getJsonArray("versions").getJsonObject(0);
    assertThat(broken.getString("state")).isEqualTo("end");
    assertThat(broken.getString("error")).isNotEmpty();
    assertThat(broken.getLong("inferences")).isNull();
  }

  @Test
  void callsAreSeenWithinSeconds() {
    Buffer request = Buffer.buffer("{\"instances\": [1.0]}");
    assertThat(http.send("POST", "/v1/models/half_plus_two:predict", request).status())
        .isEqualTo(200);
    JsonObject halves;
    do {
      halves = model(json("/console.json"), "half_plus_two");
    } while (halves.getDouble("calls_per_second") == 0);
    assertThat(halves.getDouble("failed_share")).isZero();
    JsonArray versions = halves.getJsonArray("versions");
    assertThat(versions.getJsonObject(0).getDouble("requests_per_second")).isZero();
    assertThat(versions.getJsonObject(1).getDouble("requests_per_second")).isPositive();
    assertThat(versions.getJsonObject(1).getDouble("failed_share")).isZero();
    assertThat(halves.getDouble("p99_ms")).isPositive();
    assertThat(halves.getJsonArray("versions").getJsonObject(1).getLong("inferences")).isPositive();
    assertThat(json("/console.json").getJsonObject("trends").getJsonArray("*qps"))
        .hasSize(60)
        .anySatisfy(rate -> assertThat((Double) rate).isPositive());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"*qps", "*fail_rate(%)", "*fail_rate(%25)", "*mem_usage(%)", "*latency_max(ms)"})
  void aTrendOfGrpsIsAskedForWithOrWithoutCodes(String name) {
    JsonObject series = json("/grps/v1/monitor/series?name=" + name);
    assertThat(series.getString("label")).isEqualTo("trend");
    JsonArray points = series.getJsonArray("data");
    assertThat(points).hasSize(174);
    assertThat(points.getJsonArray(173).getInteger(0)).isEqualTo(173);
  }

  @Test
  void theSpreadOfTimesHasItsOwnPlaces() {
    JsonObject series = json("/grps/v1/monitor/series?other=1&name=*latency_cdf(ms)");
    assertThat(series.getString("label")).isEqualTo("cdf");
    assertThat(series.getJsonArray("data")).hasSize(20);
  }

  @Test
  void aSeriesThatIsNotThereIsEmptyAndOneWithoutANameIsRefused() {
    Answer unknown = get("/grps/v1/monitor/series?name=tp(token/s)", "*/*");
    assertThat(unknown.status()).isEqualTo(200);
    assertThat(unknown.contentType()).isEqualTo("application/json");
    assertThat(unknown.text()).isEmpty();
    Answer unnamed = get("/grps/v1/monitor/series", "*/*");
    assertThat(unnamed.status()).isEqualTo(400);
    assertThat(unnamed.text()).contains("name=");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/console",
        "/console/app.js",
        "/console.json",
        "/console/history.json",
        "/grps/v1/monitor/metrics",
        "/grps/v1/monitor/series"
      })
  void nothingIsChangedHere(String path) {
    Answer answer = http.send("POST", path, Buffer.buffer("{}"));
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.headers().get("Allow")).isEqualTo("GET, HEAD");
  }

  @Test
  void theLatencyDistributionIsOnThePage() {
    JsonArray points =
        json("/console.json").getJsonObject("distributions").getJsonArray("*latency_cdf(ms)");
    assertThat(points).hasSize(20);
    assertThat(points.getJsonArray(0).getInteger(0)).isEqualTo(10);
    assertThat(points.getJsonArray(19).getInteger(0)).isEqualTo(101);
  }

  @Test
  void aListenerForGrpsAloneShowsThePageToEverybody() {
    try (RunningServer grps = start(Set.of(Protocol.GRPS, Protocol.BRPC));
        var other = new HttpCaller(grps.port())) {
      for (String accept : List.of("", "*/*", "text/html", "application/json")) {
        var headers = MultiMap.caseInsensitiveMultiMap();
        if (!accept.isEmpty()) {
          headers.add("Accept", accept);
        }
        Answer page = other.send("GET", "/", headers, Buffer.buffer());
        assertThat(page.contentType()).as(accept).isEqualTo("text/html; charset=utf-8");
        assertThat(page.text()).contains("console/app.js");
      }
    }
  }

  @Test
  void aListenerOfPredictionsAloneShowsNoConsole() {
    try (RunningServer kserve = start(Set.of(Protocol.KSERVE));
        var other = new HttpCaller(kserve.port())) {
      var browser = MultiMap.caseInsensitiveMultiMap().add("Accept", "text/html");
      assertThat(other.send("GET", "/", browser, Buffer.buffer()).text())
          .isEqualTo("{\"status\":\"alive\"}");
      for (String path : List.of("/console", "/console/app.js", "/console.json")) {
        assertThat(other.send("GET", path, Buffer.buffer()).status()).as(path).isEqualTo(404);
      }
    }
  }
}
