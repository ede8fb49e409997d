package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.testing.Chromium;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.PrefixProxy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import dev.sluice.testing.TinyEncoder;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
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

/** The console in a real browser: what it shows, what it sends, and whom it can be used by. */
@Tag("browser")
@Timeout(600)
class ConsolePageIT {
  private static final String HOSTILE = "<img src=x onerror=alert(1)>";
  private static final String KEY = "0123456789abcdef-ops";
  private static final String READER = "0123456789abcdef-reader";
  private static final String MODEL = "#/model/half_plus_two";
  private static final String WRITER = "#/model/writer";
  private static final String CHAT = "#/model/chat";

  @TempDir private static Path folder;
  private static String axe = "";
  private static RunningServer server;
  private static Chromium browser;

  @BeforeAll
  static void start() throws IOException {
    Path models = Files.createDirectories(folder.resolve("models"));
    Path broken = Files.createDirectories(models.resolve(HOSTILE + "/1"));
    Files.writeString(broken.resolve("model.onnx"), "no model");
    TinyEncoder.ofVectors(false).writeTo(models, "tiny");
    Files.writeString(
        TinyEncoder.ofLogits(1).writeTo(models, "ranker").resolve("config.json"),
        "{\"architectures\": [\"BertForSequenceClassification\"], \"id2label\": {\"0\": \"x\"}}");
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "0", "3", "4")
        .output("y", OnnxModelWriter.FLOAT, "0", "3", "4")
        .node("Identity", "y", "x")
        .writeTo(Files.createDirectories(models.resolve("nothing/1")));
    server = serve("");
    Path profile = Files.createDirectories(folder.resolve("profile"));
    browser = Chromium.start(profile);
    try (InputStream script = ConsolePageIT.class.getResourceAsStream("/axe.min.js")) {
      axe = new String(Objects.requireNonNull(script, "axe").readAllBytes(), UTF_8);
    }
  }

  private static RunningServer serve(String security) throws IOException {
    Path file = folder.resolve("sluice.yml");
    Files.writeString(file, "listeners: [{ address: \"localhost:0\" }]\n" + security);
    List<SettingOverride> overrides = new ArrayList<>();
    overrides.add(
        new SettingOverride("models.directory", folder.resolve("models").toString(), "test"));
    for (String model : List.of("half_plus_two", "language", "writer", "chat")) {
      String path = TestModels.sample(model, "").toString();
      overrides.add(new SettingOverride("models.list." + model, path, "test"));
    }
    SluiceConfig config =
        new SluiceConfigReader(_ -> {}).read(Optional.of(file), Map.of(), overrides);
    return RunningServer.start(config);
  }

  @AfterAll
  static void stop() {
    browser.close();
    server.close();
  }

  @BeforeEach
  void openAtADesk() {
    browser.resize(1280, 900);
    browser.prefer("light");
  }

  /** Opens a document of its own, since going to another part of a page loads nothing. */
  private static void open(String url) {
    browser.open("about:blank");
    browser.open(url);
  }

  private static String page() {
    return "http://127.0.0.1:" + server.port() + "/";
  }

  private static String text(String selector) {
    return (String)
        browser.evaluate("document.querySelector(%s).textContent".formatted(quote(selector)));
  }

  private static String quote(String text) {
    return new JsonArray().add(text).encode().replaceAll("^\\[|\\]$", "");
  }

  private static void choose(String label, String value) {
    browser.evaluate(
        """
        (() => {
          const label = [...document.querySelectorAll('#model label')].find(each => each.textContent === %s);
          const control = document.getElementById(label.htmlFor);
          control.value = %s;
          control.dispatchEvent(new Event('input', {bubbles: true}));
        })()\
        """
            .formatted(quote(label), quote(value)));
  }

  private static void openModel(String address) {
    open(address);
    browser.await("document.querySelector('#model form')");
  }

  private static void send() {
    browser.evaluate("document.querySelector('#model form').requestSubmit()");
  }

  @Test
  void theChartsHaveAxesWithUnitsAndShowWhatTheServerDid() {
    try (var http = new HttpCaller(server.port())) {
      Buffer request = Buffer.buffer("{\"instances\": [1.0]}");
      http.send("POST", "/v1/models/half_plus_two:predict", request);
      open(page());
      browser.await("document.querySelectorAll('#overview canvas').length === 8");
      browser.await(
          "[...document.querySelectorAll('#overview canvas')].every(each =>"
              + " Chart.getChart(each).data.datasets[0].data.length > 1)");
    }
    var axes =
        new JsonArray(
            (String)
                browser.evaluate(
                    """
                    JSON.stringify([...document.querySelectorAll('#overview canvas')].flatMap(each => {
                      const scales = Chart.getChart(each).scales;
                      return [scales.x.options.title.text, scales.y.options.title.text];
                    }))\
                    """));
    assertThat(axes).contains("time", "per second", "%", "ms", "rows per run", "requests", "MiB");
    browser.await(
        "/requests now [\\d.]+, most (?!0$)/"
            + ".test(document.querySelector('#overview canvas').ariaLabel)");
  }

  @Test
  void aModelHasChartsOfItsOwnThatGoAsFarBackAsTheServers() {
    open(page() + MODEL);
    browser.await("document.querySelectorAll('#model canvas').length === 5");
    try (var http = new HttpCaller(server.port())) {
      Buffer request = Buffer.buffer("{\"instances\": [1.0, 2.0]}");
      http.send("POST", "/v1/models/half_plus_two:predict", request);
    }
    browser.await(
        "[0, 3].every(i => /now .*, most (?!0$)[\\d.]+$/"
            + ".test(document.querySelectorAll('#model canvas')[i].ariaLabel))");
    browser.evaluate("document.querySelector('#span [value=hours]').click()");
    browser.evaluate("document.querySelector('#home').click()");
    browser.await("!document.getElementById('overview').hidden");
    assertThat(browser.evaluate("document.querySelector('#overview #span :checked').value"))
        .isEqualTo("hours");
    assertThat(browser.evaluate("document.querySelectorAll('#model canvas').length")).isEqualTo(0);
  }

  /** TensorFlow lists the operation that initialises a graph among its signatures. */
  @Test
  void aSignatureWithoutInputsIsNotOffered() {
    openModel(page() + MODEL);
    choose("Version", "2");
    Object names =
        browser.evaluate(
            """
            (() => {
              const label = [...document.querySelectorAll('#model label')].find(each => each.textContent === 'Signature');
              return [...document.getElementById(label.htmlFor).options].map(each => each.value).join();
            })()\
            """);
    assertThat(names).isEqualTo("classify_x_to_y,regress_x_to_y,serving_default");
  }

  @Test
  void namesOfModelsAreTextAndABrokenModelSaysWhatIsWrong() {
    open(page());
    browser.await("document.querySelectorAll('#models tr').length > 3");
    assertThat(text("#models")).contains(HOSTILE, "failed", "Protobuf parsing failed");
    assertThat(browser.evaluate("document.querySelectorAll('#models img').length")).isEqualTo(0);
    browser.evaluate("document.querySelector('#models a').click()");
    browser.await("document.querySelector('#model h2')");
    assertThat(text("#model h2")).isEqualTo(HOSTILE);
    browser.await("document.querySelector('#model').textContent.includes('No version of this')");
    assertThat(text("#model")).contains("Protobuf parsing failed");
    assertThat(browser.evaluate("document.querySelectorAll('#model img').length")).isEqualTo(0);
  }

  @ParameterizedTest
  @CsvSource({
    "light, 1280, ''",
    "dark, 1280, ''",
    "light, 1280, #/model/half_plus_two",
    "dark, 1280, #/model/half_plus_two",
    "light, 390, ''",
    "dark, 390, #/model/half_plus_two",
    "light, 1280, #/model/writer",
    "dark, 390, #/model/writer",
    "light, 1280, #/model/chat",
    "dark, 390, #/model/chat"
  })
  void nothingStandsInTheWayOfThoseWhoUseItOtherwise(String theme, int width, String address) {
    browser.resize(width, 844);
    browser.prefer(theme);
    open(page() + address);
    browser.await("document.querySelectorAll('#models tr').length > 3");
    if (!address.isEmpty()) {
      browser.await("document.querySelector('#model form')");
      if (address.equals(MODEL)) {
        choose("Compare with version", "1");
      } else {
        choose("Protocol", address.equals(CHAT) ? "chat-stream" : "completions-stream");
        choose("Most tokens", "8");
      }
      send();
      browser.await(
          "document.querySelector('.answers').lastElementChild?.querySelector('.stages')");
    }
    assertNothingStandsInTheWay(theme);
  }

  @ParameterizedTest
  @CsvSource({
    "light, 1280, half_plus_two, grpc",
    "dark, 390, half_plus_two, grpc-stream",
    "dark, 1280, tiny, embeddings",
    "light, 390, tiny, embeddings",
    "light, 1280, ranker, rerank",
    "dark, 390, ranker, rerank"
  })
  void norInFormsForVectorsAndScoresAndByGrpcWeb(
      String theme, int width, String model, String protocol) {
    browser.resize(width, 844);
    browser.prefer(theme);
    openModel(page() + "#/model/" + model);
    choose("Protocol", protocol);
    if (!protocol.startsWith("grpc")) {
      choose("text", "[\"One\", \"A longer text\"]");
    }
    send();
    browser.await("/^200/.test(document.querySelector('.answers .mark').textContent)");
    assertNothingStandsInTheWay(theme);
  }

  private static void assertNothingStandsInTheWay(String theme) {
    assertThat(browser.evaluate("document.documentElement.dataset.theme")).isEqualTo(theme);
    assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        .as("nothing is wider than the page")
        .isEqualTo(true);
    browser.evaluate(axe + "; undefined");
    Object found =
        browser.evaluate(
            """
            axe.run(document, {resultTypes: ['violations']}).then(result => result.violations
                .map(each => each.id + ': ' + each.nodes.map(node => node.html).join(' ')).join('\\n'))\
            """);
    assertThat(found).isEqualTo("");
  }

  @Test
  void theThemeCanBeChosen() {
    open(page());
    browser.evaluate(
        """
        (() => {
          const theme = document.getElementById('theme');
          theme.value = 'dark';
          theme.dispatchEvent(new Event('change'));
        })()\
        """);
    assertThat(browser.evaluate("document.documentElement.dataset.theme")).isEqualTo("dark");
    open(page());
    assertThat(browser.evaluate("document.documentElement.dataset.theme")).isEqualTo("dark");
    browser.evaluate("localStorage.clear()");
  }

  @ParameterizedTest
  @CsvSource({
    "v2, '\"data\": [2.5]'",
    "generate, '\"y\": 2.5'",
    "generate_stream, '\"y\":2.5'",
    "v1-rows, '\"predictions\": [2.5]'",
    "v1-columns, '\"outputs\": [2.5]'",
    "grps, '\"flat_float32\": [2.5]'",
    "grps-stream, '\"flat_float32\":[2.5]'",
    "grpc, '\"data\": [2.5]'",
    "grpc-stream, '\"data\":[2.5]'"
  })
  void everyProtocolOfTheListenerCanBeTried(String protocol, String answer) {
    openModel(page() + MODEL);
    choose("Protocol", protocol);
    send();
    browser.await("/^200/.test(document.querySelector('.answers .mark').textContent)");
    browser.await("document.querySelector('.answers .stages')");
    assertThat(text(".answers pre")).contains(answer);
    // What a stream of gRPC does for its requests is no stage of the stream.
    String stage = protocol.equals("grpc-stream") ? "handle " : "run ";
    assertThat(text(".answers")).contains("in the server", stage);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"completions-stream", "completions", "generate", "generate_stream", "grpc-stream"})
  void aModelThatGeneratesTextIsGivenAPromptAndItsTextIsShown(String protocol) {
    openModel(page() + WRITER);
    choose("Protocol", protocol);
    choose("Prompt", "My dear Mr. ");
    choose("Most tokens", "8");
    choose("Temperature", "0");
    send();
    browser.await("document.querySelector('.answers .good')");
    assertThat(text(".written pre")).isEqualTo("Woodhous");
    assertThat(text(".written p")).contains("8 tokens", "finish_reason length");
    assertThat(text(".answers details pre")).contains("completion_tokens");
  }

  private static String shell(String line) throws IOException {
    Process shell = new ProcessBuilder("bash", "-c", line).start();
    return new String(shell.getInputStream().readAllBytes(), UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"chat-stream", "chat"})
  void aConversationIsAnsweredAndWhatTheSystemIsToldIsPartOfIt(String protocol) throws IOException {
    openModel(page() + CHAT);
    choose("Protocol", protocol);
    choose("Prompt", "What is the capital of France?");
    choose("Temperature", "0");
    send();
    browser.await("document.querySelector('.answers .good')");
    assertThat(text(".written pre")).isEqualTo("The capital of France is Paris.");
    assertThat(text(".written p")).contains("tokens", "finish_reason stop");
    assertThat(text(".lines")).contains("client.chat.completions.create(").doesNotContain("system");
    assertThat(shell(text(".lines pre"))).contains("aris", "\"finish_reason\":\"stop\"");
    choose("System", "Be brief.");
    assertThat(text(".lines pre")).contains("{\"role\":\"system\",\"content\":\"Be brief.\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "tiny, embeddings, '\"embedding\":', client.embeddings.create(",
    "ranker, rerank, '\"relevance_score\":', requests.post("
  })
  void anEncoderIsAskedForVectorsOrScoresOfTexts(
      String model, String protocol, String answer, String line) throws IOException {
    openModel(page() + "#/model/" + model);
    choose("Protocol", protocol);
    choose("text", "[\"One\", \"A longer text\"]");
    send();
    browser.await("document.querySelector('.answers .good')");
    assertThat(text(".answers pre").split(answer, -1)).as("an answer to each text").hasSize(3);
    assertThat(text(".lines")).contains(line);
    assertThat(shell(text(".lines pre")).split(answer, -1)).hasSize(3);
    choose("Protocol", "v2");
    send();
    browser.await("/\"datatype\"/.test(document.querySelector('.answers pre').textContent)");
  }

  @ParameterizedTest
  @CsvSource({
    "half_plus_two, x, '[0.1, -2e30]', '[2.05, -1e+30]'",
    "language, text, '[\"Wo ist der Bahnhof?\"]', German"
  })
  void grpcWebKeepsNumbersAndTexts(String model, String input, String value, String answer) {
    openModel(page() + "#/model/" + model);
    choose("Protocol", "grpc");
    choose(input, value);
    send();
    browser.await("document.querySelector('.answers .mark').textContent.startsWith('200')");
    assertThat(text(".answers pre")).contains(answer);
    assertThat(text(".lines"))
        .contains("GRPCInferenceService/ModelInfer")
        .doesNotContain("curl -s");
  }

  @Test
  void anErrorByGrpcWebIsShownWithItsStatus() {
    openModel(page() + MODEL);
    choose("Protocol", "grpc");
    choose("Parameters", "{\"priority\": \"x\"}");
    send();
    browser.await("document.querySelector('.answers .bad')");
    assertThat(text(".answers pre")).startsWith("grpc-status 3: ");
    assertThat(text(".answers .mark")).isEqualTo("200, and it failed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"v2", "grpc"})
  void aTensorWithoutElementsHasTheShapeThatTheModelWants(String protocol) {
    openModel(page() + "#/model/nothing");
    choose("Protocol", protocol);
    send();
    browser.await("document.querySelector('.answers .good')");
    assertThat(text(".answers pre")).containsPattern("\"shape\": \\[\\s*0,\\s*3,\\s*4\\s*\\]");
  }

  @Test
  void aModelIsOfferedNoProtocolThatItDoesNotSpeak() {
    openModel(page() + MODEL);
    Object offered =
        browser.evaluate(
            "[...document.querySelector('#model form select').options].map(each =>"
                + " each.value).join()");
    assertThat(offered)
        .isEqualTo(
            "v2,generate,generate_stream,v1-rows,v1-columns,grps,grps-stream,grpc,grpc-stream");
  }

  @Test
  void severalAnswersAreTextsSideBySide() {
    openModel(page() + WRITER);
    choose("Prompt", "I am ");
    choose("Most tokens", "4");
    choose("More parameters", "{\"n\": 3, \"seed\": 5}");
    send();
    browser.await("document.querySelectorAll('.answers .good').length === 1");
    assertThat(browser.evaluate("document.querySelectorAll('.written pre').length")).isEqualTo(3);
    assertThat(text(".written p")).contains("12 tokens");
  }

  @Test
  void aWrongParameterOfTextIsSaidAndNotSent() {
    openModel(page() + WRITER);
    choose("Most tokens", "0");
    send();
    assertThat(text("#model form .failing")).startsWith("Most tokens: ");
    choose("Most tokens", "");
    choose("More parameters", "[1]");
    send();
    assertThat(text("#model form .failing")).isEqualTo("The parameters are no JSON object.");
    assertThat(browser.evaluate("document.querySelectorAll('.answers section').length"))
        .isEqualTo(0);
  }

  @Test
  void textIsShownAsItIsWrittenAndAnErrorInAStreamIsSeen() throws Exception {
    try (var proxy = new PrefixProxy(server.port())) {
      var seen = new CountDownLatch(1);
      proxy.stand(
          "/openai/v1/completions",
          body -> {
            body.write(chunk("Once <b>"));
            body.flush();
            seen.await();
            body.write(chunk("more"));
            body.write("data: {\"error\": {\"message\": \"broken\"}}\n\n".getBytes(UTF_8));
          });
      openModel(proxy.url() + WRITER);
      send();
      browser.await("document.querySelector('.written pre')?.textContent === 'Once <b>'");
      seen.countDown();
      browser.await("document.querySelector('.answers .bad')");
      assertThat(text(".written pre")).isEqualTo("Once <b>more");
      assertThat(text(".answers .mark")).isEqualTo("200, 3 messages, and it failed");
    }
  }

  private static byte[] chunk(String text) {
    return "data: {\"choices\": [{\"index\": 0, \"text\": \"%s\"}]}\n\n"
        .formatted(text)
        .getBytes(UTF_8);
  }

  @Test
  void theLineOfACompletionNamesTheModelAndItsParameters() throws Exception {
    openModel(page() + WRITER);
    choose("Protocol", "completions");
    choose("Prompt", "My dear Mr. ");
    choose("Most tokens", "8");
    choose("Temperature", "0");
    assertThat(text(".lines")).contains("client.completions.create(").doesNotContain("grpcurl");
    Process shell = new ProcessBuilder("bash", "-c", text(".lines pre")).start();
    assertThat(new String(shell.getInputStream().readAllBytes(), UTF_8)).contains("\"Woodhous\"");
    choose("Protocol", "generate_stream");
    assertThat(text(".lines")).contains("\"parameters\":{\"max_tokens\":{\"int64_param\":8}");
  }

  @Test
  void aLineToCopySendsTheSameRequest() throws Exception {
    openModel(page() + MODEL);
    choose("x", "[1, 2, 5]");
    assertThat(text(".lines")).contains("tritonclient", "requests.post", "grpcurl -plaintext");
    Process shell = new ProcessBuilder("bash", "-c", text(".lines pre")).start();
    assertThat(new String(shell.getInputStream().readAllBytes(), UTF_8)).contains("[2.5,3.0,4.5]");
  }

  /** NumPy has no {@code np.object} since 1.24. */
  @Test
  void textsAreArraysOfObjectsInPython() {
    openModel(page() + "#/model/language");
    assertThat(text(".lines")).contains("json.loads(\"[\\\"text\\\"]\"), dtype=np.object_)");
  }

  @Test
  void whatCannotBeSentIsSaidBesideTheField() {
    openModel(page() + MODEL);
    choose("x", "[[1]]");
    send();
    assertThat(text(".wrong"))
        .isEqualTo("The shape is [1,1], and the model wants [-1] (-1 is any size).");
    choose("x", "[1,");
    send();
    assertThat(text(".wrong")).isEqualTo("Wanted JSON: a number, or nested lists of numbers.");
    assertThat(browser.evaluate("document.activeElement.getAttribute('aria-invalid')"))
        .isEqualTo("true");
    assertThat(browser.evaluate("document.querySelectorAll('.answers section').length"))
        .isEqualTo(0);
  }

  @Test
  void twoVersionsAnswerOneRequestSideBySide() {
    openModel(page() + MODEL);
    choose("Compare with version", "1");
    send();
    browser.await("document.querySelectorAll('.answers .good').length === 2");
    browser.await("/equal/.test(document.querySelector('#model p[role=status]').textContent)");
    assertThat(text(".answers")).contains("\"model_version\": \"2\"", "\"model_version\": \"1\"");
  }

  @Test
  void aStreamIsShownAsItArrivesAndThePageWorksBelowAPrefix() throws Exception {
    try (var proxy = new PrefixProxy(server.port())) {
      var seen = new CountDownLatch(1);
      proxy.stand(
          "/v2/models/half_plus_two/generate_stream",
          body -> {
            body.write("data: {\"text\": \"first\"}\n\n".getBytes(UTF_8));
            body.flush();
            seen.await();
            body.write("data: {\"text\": \"second\"}\n\n".getBytes(UTF_8));
          });
      for (String address : List.of("", "console", "console/", "grps/v1/monitor/metrics")) {
        openModel(proxy.url() + address + MODEL);
      }
      choose("Protocol", "generate_stream");
      send();
      browser.await("document.querySelector('.answers pre').textContent.includes('first')");
      assertThat(text(".answers pre")).doesNotContain("second");
      assertThat(text(".answers .mark")).isEqualTo("200, 1 message …");
      seen.countDown();
      browser.await("document.querySelector('.answers .mark').textContent === '200, 2 messages'");
      assertThat(text(".lines")).contains(proxy.url() + "v2/models/half_plus_two/generate_stream");
    }
  }

  @Test
  void theListenersAuthorisationHoldsAndATokenOpensWhatItMay() throws Exception {
    String security =
        """
        security:
          api_keys: { keys: "ops: %s, reader: %s" }
          policies:
            - { identities: ["key:*"], roles: [metadata, metrics] }
            - { identities: ["key:ops"], roles: [inference] }
        """
            .formatted(KEY, READER);
    try (RunningServer closed = serve(security)) {
      open("http://127.0.0.1:" + closed.port() + "/" + MODEL);
      browser.await("!document.getElementById('notice').hidden");
      assertThat(text("#notice")).contains("operation 'console' needs the role 'metrics'");
      useToken("wrong");
      browser.await("document.getElementById('notice').textContent.includes('not enough')");
      assertThat(text("#notice")).endsWith(". The token of this page is not enough.");
      useToken(READER);
      browser.await("document.getElementById('notice').hidden");
      browser.await("document.querySelector('#model').textContent.includes('You may not send')");
      assertThat(text("#model")).contains("needs the role 'inference', which 'key:reader'");
      useToken(KEY);
      browser.await("document.querySelector('#model form')");
      send();
      browser.await("/^200/.test(document.querySelector('.answers .mark').textContent)");
      assertThat(text(".lines")).contains("Bearer $TOKEN").doesNotContain(KEY);
      assertThat(browser.evaluate("JSON.stringify(localStorage) + document.cookie"))
          .isEqualTo("{}");
    }
  }

  private static void useToken(String token) {
    browser.evaluate(
        """
        (() => {
          document.getElementById('token-open').click();
          document.getElementById('token').value = %s;
          document.querySelector('#token-form [value=use]').click();
        })()\
        """
            .formatted(quote(token)));
  }

  @Test
  void aKeyboardIsEnough() {
    openModel(page() + MODEL);
    browser.press("Tab", 9, "");
    assertThat(browser.evaluate("document.activeElement.className")).isEqualTo("skip");
    browser.press("Enter", 13, "\r");
    assertThat(browser.evaluate("document.activeElement.id")).isEqualTo("main");
    for (int i = 0; i < 20 && !"primary".equals(focused()); i++) {
      browser.press("Tab", 9, "");
    }
    assertThat(focused()).isEqualTo("primary");
    browser.press("Enter", 13, "\r");
    browser.await("/^200/.test(document.querySelector('.answers .mark').textContent)");
  }

  private static Object focused() {
    return browser.evaluate("document.activeElement.className");
  }
}
