package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.testing.Chromium;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.PrefixProxy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the console shows what the server says: charts, tables and words, on a desk and a phone. */
@Tag("browser")
@Timeout(600)
class ConsoleViewIT {
  private static final String MODEL = "#/model/half_plus_two";
  private static final String CANVAS = "document.querySelectorAll('#model canvas')[2]";
  private static final long NOW = 1_700_000_000_000L;
  private static final List<String> FIGURES =
      List.of("requests_per_second", "failed_percent", "p50_ms", "p99_ms", "rows_per_run");

  @TempDir private static Path folder;
  private static RunningServer server;
  private static PrefixProxy proxy;
  private static Chromium browser;

  @BeforeAll
  static void start() throws IOException {
    Path broken = Files.createDirectories(folder.resolve("models/two_broken_languages/1"));
    Files.writeString(broken.resolve("model.onnx"), "no model");
    server = serve();
    proxy = new PrefixProxy(server.port());
    browser = Chromium.start(Files.createDirectories(folder.resolve("profile")));
  }

  private static RunningServer serve() throws IOException {
    Path file = folder.resolve("sluice.yml");
    Files.writeString(file, "listeners: [{ address: \"localhost:0\" }]\n");
    List<SettingOverride> overrides = new ArrayList<>();
    overrides.add(
        new SettingOverride("models.directory", folder.resolve("models").toString(), "test"));
    for (String model : List.of("half_plus_two", "language")) {
      String path = TestModels.sample(model, "").toString();
      overrides.add(new SettingOverride("models.list." + model, path, "test"));
    }
    SluiceConfig config =
        new SluiceConfigReader(_ -> {}).read(Optional.of(file), Map.of(), overrides);
    return RunningServer.start(config);
  }

  @AfterAll
  static void stop() throws Exception {
    browser.close();
    proxy.close();
    server.close();
  }

  @BeforeEach
  void openAtADesk() {
    proxy.standNowhere();
    browser.resize(1280, 900);
    browser.prefer("light");
  }

  /** Opens a document of its own, since going to another part of a page loads nothing. */
  private static void open(String address) {
    browser.open("about:blank");
    browser.open(proxy.url() + address);
  }

  /** Has the server answer a history of these latencies, null where there was no request. */
  private static void standHistory(int stepSeconds, @Nullable Double... millis) {
    var times = new JsonArray();
    IntStream.rangeClosed(1, millis.length)
        .forEach(i -> times.add(NOW + 1000L * stepSeconds * (i - millis.length)));
    var values = new JsonArray(Arrays.asList(millis));
    var figures = new JsonObject().put("time_ms", times);
    FIGURES.forEach(figure -> figures.put(figure, values));
    var history =
        new JsonObject()
            .put("step_seconds", stepSeconds)
            .put("most_points", millis.length)
            .put("figures", figures);
    proxy.stand("/console/history.json", body -> body.write(history.encode().getBytes(UTF_8)));
  }

  private static Object ofLatency(String expression) {
    return browser.evaluate(
        "(chart => JSON.stringify(%s))(Chart.getChart(%s))".formatted(expression, CANVAS));
  }

  private static void openCharts(int points) {
    open(MODEL);
    browser.await(
        "Chart.getChart(%s).data.datasets[0].data.length === %d".formatted(CANVAS, points));
  }

  @Test
  void aPointWithoutANeighbourIsADot() {
    standHistory(5, 1.0, null, 2.0, null, 3.0, 4.0, 5.0);
    openCharts(7);
    assertThat(ofLatency("chart.getDatasetMeta(0).data.map(each => each.options.radius > 0)"))
        .isEqualTo("[true,false,true,false,true,false,false]");
  }

  @ParameterizedTest
  @CsvSource({"hours, 150, 1", "hours, 30, 6", "day, 600, 3"})
  void theAxisOfAYoungServerIsAsLongAsItsPoints(String span, int step, int points) {
    Double[] values = new Double[points];
    Arrays.fill(values, 1.0);
    standHistory(step, values);
    openCharts(points);
    browser.evaluate("document.querySelector('#span [value=%s]').click()".formatted(span));
    browser.await(
        "(({min, max}) => max - min === %d)(Chart.getChart(%s).scales.x)"
            .formatted(1000 * step * points, CANVAS));
    assertThat(ofLatency("chart.getDatasetMeta(0).data.some(each => each.options.radius > 0)"))
        .isEqualTo(Boolean.toString(points == 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {390, 1280})
  void timesBelowAChartStandApart(int width) {
    browser.resize(width, 844);
    for (int points : List.of(8, 30, 70, 100, 120)) {
      standHistory(5, IntStream.range(0, points).mapToObj(i -> 1.0 * i).toArray(Double[]::new));
      openCharts(points);
      Object gaps =
          ofLatency(
              """
              chart.scales.x.ticks.slice(1).map((tick, i) => {
                chart.ctx.font = '12px ' + Chart.defaults.font.family;
                return chart.scales.x.getPixelForTick(i + 1) - chart.scales.x.getPixelForTick(i)
                    - chart.ctx.measureText(tick.label).width;
              })\
              """);
      assertThat(new JsonArray((String) gaps))
          .as("gaps of " + points)
          .allSatisfy(gap -> assertThat(((Number) gap).doubleValue()).isGreaterThan(6));
    }
  }

  private static String text(String selector) {
    return (String)
        browser.evaluate("document.querySelector('%s').textContent".formatted(selector));
  }

  /** Has the server answer its state, after a change of it. */
  private static void standState(Consumer<JsonObject> change) {
    try (var http = new HttpCaller(server.port())) {
      var state = new JsonObject(http.send("GET", "/console.json", Buffer.buffer()).body());
      change.accept(state);
      proxy.stand("/console.json", body -> body.write(state.encode().getBytes(UTF_8)));
    }
  }

  private static JsonObject halves(JsonObject state) {
    return state.getJsonArray("models").getJsonObject(0);
  }

  @Test
  void theFiguresOfAModelAreOnItsOwnRowAndThoseOfVersionsOnTheirs() {
    standState(state -> {
      halves(state).put("calls_per_second", 5).put("p50_ms", 1.5).put("p99_ms", 2.5);
      halves(state).getJsonArray("versions").getJsonObject(1).put("requests_per_second", 4.5);
    });
    open("");
    browser.await("document.querySelectorAll('#models tr.version').length === 2");
    String cells =
        "[...document.querySelectorAll('#models tr')].filter(row => !row.hidden &&"
            + " row.textContent.startsWith('half_plus_two')).map(row => [...row.cells].slice(1,"
            + " 7).filter((_, i) => i !== 1).map(cell => cell.textContent).join(',')).join(';')";
    assertThat(browser.evaluate(cells))
        .isEqualTo("2 versions,5,0 %,1.5 ms,2.5 ms;1stable,0,0 %,,;2canary,4.5,0 %,,");
  }

  @ParameterizedTest
  @CsvSource({"390, ''", "700, ''", "1000, ''", "1150, ''", "390, #/model/two_broken_languages"})
  void everyCellOfATableIsSeen(int width, String address) {
    browser.resize(width, 844);
    open(address);
    String section = address.isEmpty() ? "#overview" : "#model";
    browser.await(
        "[...document.querySelectorAll('%s td.error')].some(each => each.textContent)"
            .formatted(section));
    Object hidden =
        browser.evaluate(
            """
            [...document.querySelectorAll('%s .table')].flatMap(table => [...table.querySelectorAll('td, th.name')]
                .filter(cell => cell.getBoundingClientRect().right > table.getBoundingClientRect().right)
                .map(cell => cell.textContent)).join()\
            """
                .formatted(section));
    assertThat(hidden).isEqualTo("");
  }

  @Test
  void aServerThatIsNotReadySaysWhichModelIsNotAndWhy() {
    open("");
    browser.await("!document.getElementById('why').hidden");
    assertThat(text("#why"))
        .startsWith("Not ready: two_broken_languages 1: ")
        .contains("Protobuf parsing failed");
    standState(state -> state.put("not_ready", new JsonArray()));
    open("");
    browser.await("!document.getElementById('why').hidden");
    assertThat(text("#why")).isEqualTo("Not ready: the server is about to start or to stop.");
  }

  @ParameterizedTest
  @CsvSource({"light, 'rgb(255, 255, 255)'", "dark, 'rgb(28, 32, 34)'"})
  void theApisPageIsLinkedBothWaysAndFollowsTheTheme(String theme, String ground) {
    browser.prefer(theme);
    open("console");
    browser.open((String) browser.evaluate("document.getElementById('api').href"));
    browser.await("document.querySelector('.servers option')");
    assertThat(text(".servers option")).isEqualTo(proxy.url().replaceAll("/$", ""));
    assertThat(
            browser.evaluate(
                "getComputedStyle(document.documentElement).backgroundColor"
                    + ".replace('rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)')"))
        .isEqualTo(ground);
    assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        .isEqualTo(true);
    assertThat(browser.evaluate("document.getElementById('console').hidden")).isEqualTo(false);
    browser.open((String) browser.evaluate("document.getElementById('console').href"));
    browser.await("document.querySelectorAll('#models tr').length > 2");
  }

  private static void openForm() {
    open(MODEL);
    browser.await("document.querySelector('#model form')");
  }

  private static void choose(String label, String value) {
    browser.evaluate(
        """
        (() => {
          const label = [...document.querySelectorAll('#model label')].find(each => each.textContent === '%s');
          const control = document.getElementById(label.htmlFor);
          control.value = '%s';
          control.dispatchEvent(new Event('input', {bubbles: true}));
        })()\
        """
            .formatted(label, value));
  }

  private static void send() {
    browser.evaluate("document.querySelector('#model form').requestSubmit()");
  }

  /** The part of its width that a bar of stages fills. */
  private static String barOf(int version) {
    return "[...document.querySelectorAll('.stages')[%d].children].reduce((sum, piece) => sum +"
            .formatted(version)
        + " piece.getBoundingClientRect().width, 0)"
        + " / document.querySelectorAll('.stages')[%d].getBoundingClientRect().width"
            .formatted(version);
  }

  @Test
  void theTimesOfTwoVersionsAreDrawnToOneScale() {
    openForm();
    browser.evaluate(
        """
        (() => {
          const asked = fetch;
          const times = ['total;dur=0.48, queue;dur=0.08, run;dur=0.40', 'total;dur=0.96, queue;dur=0.16, run;dur=0.80'];
          window.fetch = (url, options) => /infer$/.test(url)
              ? Promise.resolve(new Response('{}', {headers: {'server-timing': times.shift()}})) : asked(url, options);
        })()\
        """);
    choose("Compare with version", "1");
    send();
    browser.await("document.querySelectorAll('.stages').length === 2");
    browser.await("Math.abs(%s - 1) < 0.01".formatted(barOf(1)));
    browser.await("Math.abs(%s - 0.5) < 0.01".formatted(barOf(0)));
  }

  @Test
  void theLinesAndAnswersBelowTheFormAreThoseOfWhatItSends() {
    openForm();
    send();
    browser.await("document.querySelector('.answers .good')");
    choose("x", "[1,");
    assertThat(text(".lines")).isEqualTo("The request can not be sent as it is now.");
    send();
    assertThat(browser.evaluate("document.querySelectorAll('.answers section').length"))
        .isEqualTo(0);
    choose("x", "[1, 7]");
    choose("Parameters", "{\"priority\": \"x\"}");
    assertThat(text(".lines")).contains("[1,7]", "priority");
    // A value that was set without an event, as an extension of a browser does.
    browser.evaluate(
        "document.querySelector('#model textarea:not([hidden])').closest('form')"
            + ".querySelectorAll('textarea').forEach(area => { area.value = '[3, 4]'; })");
    send();
    browser.await("document.querySelector('.answers .bad')");
    assertThat(text(".lines")).contains("[3,4]", "priority");
  }

  @ParameterizedTest
  @ValueSource(ints = {390, 820, 1280})
  void plotsInARowStandAtOneHeight(int width) {
    browser.resize(width, 844);
    standHistory(5, 1.0, 2.0);
    openCharts(2);
    Object tops =
        browser.evaluate(
            """
            JSON.stringify([...document.querySelectorAll('#model .charts .card')].map(card =>
                card.querySelector('canvas').getBoundingClientRect().top - card.getBoundingClientRect().top
                    + Chart.getChart(card.querySelector('canvas')).chartArea.top))\
            """);
    assertThat(new JsonArray((String) tops).stream().distinct()).hasSize(1);
  }
}
