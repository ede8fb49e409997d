package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import dev.sluice.testing.TestModels;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A plugin answers like any model, and its failures stay its own. */
@Timeout(60)
class PluginCodeIT {
  private static final String DEAF_OVER = "sluice.test.deaf.over";

  @TempDir static Path models;
  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() throws IOException {
    doubler("doubler", "");
    doubler("hasty", "java: { timeout: 50ms }\n");
    doubler("deaf", "java: { timeout: 20ms }\n");
    new PluginJar()
        .file("Totals")
        .service("Converter", "Totals")
        .into(copy("idf", "totals").resolve("1"));
    new PluginJar()
        .file("Echoes")
        .service("HttpHandler", "Echoes")
        .into(models.resolve("echoes").resolve("1"));
    Files.writeString(
        models.resolve("echoes").resolve("model.yml"),
        "java: { path: /my/echo, settings: { greeting: 'Hello ' } }\n");
    StepModels.counter(models, "{ feedback: { y: x }, stop: { steps: 20 } }");
    new PluginJar()
        .file("Relay")
        .service("StreamingModel", "Relay")
        .into(models.resolve("relay").resolve("1"));
    server = RunningServer.startWithPlugins(models);
    http = new HttpCaller(server.port());
  }

  private static void doubler(String name, String settings) throws IOException {
    new PluginJar()
        .file("Doubler")
        .file("Missing")
        .service("Model", "Doubler")
        .service("StreamingModel", "Doubler")
        .into(models.resolve(name).resolve("1"), file -> !file.startsWith("Missing"));
    Files.writeString(models.resolve(name).resolve("model.yml"), settings);
  }

  /** A model of the conformance suite under another name. */
  private static Path copy(String model, String name) throws IOException {
    Path into = models.resolve(name);
    TestModels.copy(Path.of("src/test/models/oip", model), into);
    return into;
  }

  @AfterAll
  static void stop() {
    System.clearProperty(DEAF_OVER);
    http.close();
    server.close();
  }

  private static HttpCaller.Answer infer(String model, String values) {
    int count = values.split(",").length;
    return http.send(
        "POST",
        "/v2/models/" + model + "/infer",
        Buffer.buffer(
            "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[%d],\"data\":[%s]}]}"
                .formatted(count, values)));
  }

  private static HttpCaller.Answer relay(float x) {
    return http.send(
        "POST", "/v2/models/relay/generate_stream", Buffer.buffer("{\"x\":" + x + "}"));
  }

  private static String relayed(float... values) {
    var events = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      events.append(
          "data: {\"model_name\":\"relay\",\"model_version\":\"1\",\"y\":%s,\"count\":%d}\n\n"
              .formatted(values[i], i + 1));
    }
    return events.toString();
  }

  @Test
  void streamOfAnotherModelIsPassedOnMessageByMessage() {
    assertThat(relay(4).text()).isEqualTo(relayed(5, 6, 7));
  }

  @Test
  void codeThatStopsReadingEndsTheStreamOfTheOtherModel() {
    assertThat(relay(-2).text())
        .startsWith(relayed(-1, 0))
        .endsWith("data: {\"error\":\"that is enough\"}\n\n");
    assertThat(relay(1).text()).isEqualTo(relayed(2, 3, 4));
  }

  @Test
  void streamOfAModelThatIsNotThereIsRefused() {
    HttpCaller.Answer answer = relay(-1);
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.text()).contains("nobody");
  }

  @Test
  void answersByV2() {
    assertThat(infer("doubler", "1, 2.5").text())
        .contains("{\"name\":\"y\",\"datatype\":\"FP32\",\"shape\":[2],\"data\":[2.0,5.0]}");
  }

  @Test
  void answersByV1() {
    assertThat(
            http.send(
                    "POST", "/v1/models/doubler:predict", Buffer.buffer("{\"inputs\":{\"x\":[4]}}"))
                .text())
        .isEqualTo("{\"outputs\":[8.0]}");
  }

  @Test
  void textOfAnExceptionGoesToTheCallerWithoutATrace() {
    HttpCaller.Answer answer = infer("doubler", "-1");
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.text()).isEqualTo("{\"error\":\"boom\"}");
  }

  @Test
  void refusalHasTheKindThatTheCodeChose() {
    HttpCaller.Answer answer = infer("doubler", "-2");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains("-2 is not a number that I like");
  }

  @Test
  void outputThatWasNotDeclaredSoIsAFailure() {
    assertThat(infer("doubler", "-5").text())
        .contains("gave output 'y' as INT64[1], it declares FP32[-1]");
  }

  @Test
  void classThatIsMissingIsNamed() {
    HttpCaller.Answer answer = infer("doubler", "-6");
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.text()).contains("NoClassDefFoundError: Missing");
    assertThat(infer("doubler", "1").status()).isEqualTo(200);
  }

  @Test
  void callThatTakesTooLongIsInterrupted() {
    HttpCaller.Answer answer = infer("hasty", "-3");
    assertThat(answer.status()).isEqualTo(504);
    assertThat(answer.text()).contains("took longer than 50 ms (setting java.timeout)");
    assertThat(infer("hasty", "1").status()).isEqualTo(200);
  }

  @Test
  void codeThatDoesNotHeedItsInterruptionIsReplacedUpToABound() throws Exception {
    for (int i = 0; i < 8; i++) {
      assertThat(infer("deaf", "-4").status()).isEqualTo(504);
      if (i == 0) {
        assertThat(infer("deaf", "1").status()).isEqualTo(200);
      }
    }
    HttpCaller.Answer refused = infer("deaf", "1");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.text()).contains("the code of model 'deaf' does not stop: 8 calls go on");
    System.setProperty(DEAF_OVER, "true");
    while (infer("deaf", "1").status() != 200) {
      Thread.onSpinWait();
    }
  }

  private static HttpCaller.Answer totals(String numbers) {
    return http.send(
        "POST",
        "/v2/models/totals/infer",
        Buffer.buffer(
            "{\"inputs\":[{\"name\":\"numbers\",\"datatype\":\"BYTES\",\"shape\":[1],\"data\":[\"%s\"]}]}"
                .formatted(numbers)));
  }

  @Test
  void converterStandsBeforeAndBehindTheModel() {
    assertThat(totals("1 2.5 3").text())
        .contains("{\"name\":\"total\",\"datatype\":\"BYTES\",\"shape\":[1],\"data\":[\"6.5\"]}");
    assertThat(totals("1 two").status()).isEqualTo(400);
    assertThat(totals("1 two").text()).contains("'two' is no number");
  }

  @Test
  void whatAConverterGivesMustFitTheModel() {
    HttpCaller.Answer answer = totals("misfit");
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.text()).contains("the converter does not fit the model", "BYTES");
  }

  private static HttpCaller.Answer echo(String query, String body) {
    return http.send(
        "POST",
        "/my/echo?" + query,
        MultiMap.caseInsensitiveMultiMap().add("x-name", "Ada"),
        Buffer.buffer(body));
  }

  @Test
  void handlerSeesTheRequestAndWritesTheAnswer() {
    HttpCaller.Answer whole = echo("whole", "a body");
    assertThat(whole.status()).isEqualTo(201);
    assertThat(whole.contentType()).isEqualTo("text/x-echo");
    assertThat(whole.headers().get("X-Method")).isEqualTo("POST");
    assertThat(whole.text()).isEqualTo("a body");
    HttpCaller.Answer text = echo("text", "");
    assertThat(text.text()).isEqualTo("Hello Ada");
    assertThat(text.contentType()).isEqualTo("text/plain; charset=utf-8");
    assertThat(echo("nothing", "").status()).isEqualTo(200);
    assertThat(echo("nothing", "").text()).isEmpty();
    assertThat(echo("else", "").text()).isEqualTo("no such thing: /my/echo");
  }

  @Test
  void handlerMayAnswerInChunks() {
    HttpCaller.Answer chunks = echo("chunks", "a bc def");
    assertThat(chunks.headers().get("Transfer-Encoding")).isEqualTo("chunked");
    assertThat(chunks.text()).isEqualTo("abcdef");
    assertThat(echo("breaks", "").text()).isEqualTo("so far so good, but then");
  }

  @Test
  void handlersFailureIsAnsweredAsText() {
    HttpCaller.Answer thrown = echo("throws", "");
    assertThat(thrown.status()).isEqualTo(500);
    assertThat(thrown.contentType()).startsWith("text/plain");
    assertThat(thrown.text()).isEqualTo("boom");
    assertThat(echo("refuses", "").status()).isEqualTo(503);
    assertThat(echo("header", "").text()).isEqualTo("no header for an answer: X-Bad");
    assertThat(echo("twice", "").text()).isEqualTo("once");
  }

  @Test
  void handlerMayAskTheServersModels() {
    assertThat(echo("ask", "").text()).isEqualTo("2.0 4.0");
    HttpCaller.Answer nobody = echo("ask-nobody", "");
    assertThat(nobody.status()).isEqualTo(404);
    assertThat(nobody.text()).contains("'nobody'");
  }

  @Test
  void clientThatLeavesEndsTheHandler() throws IOException {
    try (var socket = new Socket("localhost", server.port())) {
      socket
          .getOutputStream()
          .write("GET /my/echo?endless HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
    }
    while (!echo("left", "").text().equals("1")) {
      Thread.onSpinWait();
    }
  }

  @Test
  void handlerAloneIsNoModel() {
    HttpCaller.Answer answer =
        http.send("POST", "/v2/models/echoes/infer", Buffer.buffer("{\"inputs\":[]}"));
    assertThat(answer.text()).contains("its code answers HTTP requests only");
  }

  @Test
  void customisedBodiesOfGrpsGoToTheHandler(@TempDir Path folder) throws IOException {
    streamed(folder.resolve("models/streamed/1"));
    Path settings = folder.resolve("sluice.yml");
    Files.writeString(
        settings,
        """
        listeners: [{ address: "localhost:0" }]
        models: { directory: "%s", poll_interval: 0s, plugins: streamed }
        grps:
          default_model: streamed
          streaming_ctrl: { ctrl_mode: body_param, ctrl_key: stream, res_content_type: text/event-stream }
          customized_predict_http: { path: /v1/chat, customized_body: true }
        """
            .formatted(folder.resolve("models")));
    requireCustomised(
        new SluiceConfigReader(_ -> {}).read(Optional.of(settings), Map.of(), List.of()));
  }

  @Test
  void customisedBodiesOfADeploymentGoToTheHandler(@TempDir Path folder) throws IOException {
    streamed(folder.resolve("data"));
    Path conf = Files.createDirectory(folder.resolve("conf"));
    Files.writeString(
        conf.resolve("server.yml"),
        """
        interface:
          framework: http
          host: 0.0.0.0
          port: 9997
          customized_predict_http:
            path: /v1/chat
            customized_body: true
            streaming_ctrl: { ctrl_mode: body_param, ctrl_key: stream, res_content_type: text/event-stream }
        max_connections: 1000
        max_concurrency: 32
        """);
    Files.writeString(
        conf.resolve("inference.yml"),
        """
        models:
          - name: chat
            version: 1.0.0
            inferer_type: customized
            inferer_name: chat
            inferer_path: data
            converter_type: none
        dag: { type: sequential, nodes: [{ name: a, type: model, model: chat-1.0.0 }] }
        """);
    requireCustomised(
        new SluiceConfigReader(_ -> {})
            .read(
                Optional.empty(),
                Map.of(),
                List.of(
                    new SettingOverride("grps.deployment", folder.toString(), "--grps"),
                    new SettingOverride("listeners", "localhost:0", "--listen"))));
  }

  private static void requireCustomised(SluiceConfig config) {
    try (var grps = RunningServer.start(config);
        var client = new HttpCaller(grps.port())) {
      for (String path : List.of("/v1/chat", "/grps/v1/infer/predict")) {
        HttpCaller.Answer plain = client.send("PUT", path, Buffer.buffer("{\"stream\":\"true\"}"));
        assertThat(plain.text()).isEqualTo("plain");
        HttpCaller.Answer stream = client.send("POST", path, Buffer.buffer("{\"stream\":true}"));
        assertThat(stream.contentType()).isEqualTo("text/event-stream");
        assertThat(stream.text()).isEqualTo("data: 1\n\ndata: 2\n\n");
        HttpCaller.Answer broken =
            client.send("POST", path + "?fail", Buffer.buffer("{\"stream\":true}"));
        assertThat(broken.status()).isEqualTo(200);
        assertThat(broken.text()).isEqualTo("data: 1\n\nno more");
        HttpCaller.Answer thrown = client.send("POST", path + "?fail", Buffer.buffer());
        assertThat(thrown.status()).isEqualTo(500);
        assertThat(thrown.contentType()).startsWith("text/plain");
        assertThat(thrown.text()).isEqualTo("no more");
      }
      HttpCaller.Answer unknown = client.send("POST", "/v1/chat?model=nobody", Buffer.buffer());
      assertThat(unknown.status()).isEqualTo(500);
      assertThat(unknown.contentType()).startsWith("text/plain");
      assertThat(unknown.text()).contains("Not found model: nobody");
      assertThat(client.send("GET", "/grps/v1/health/live", Buffer.buffer()).text())
          .contains("SUCCESS");
    }
  }

  private static void streamed(Path folder) {
    new PluginJar()
        .source(
            "Streamed",
            """
            import dev.sluice.extension.*;
            public class Streamed implements HttpHandler {
              public void handle(HttpRequest request, HttpReply reply) throws Exception {
                if (request.streaming()) {
                  reply.write("data: 1\\n\\n");
                }
                if (request.query().equals("fail")) {
                  throw new IllegalStateException("no more");
                }
                if (request.streaming()) {
                  reply.write("data: 2\\n\\n");
                } else {
                  reply.send("plain");
                }
              }
            }
            """)
        .service("HttpHandler", "Streamed")
        .into(folder);
  }

  @Test
  void unclaimedPathIsNotFound() {
    assertThat(http.send("GET", "/my/other", Buffer.buffer()).status()).isEqualTo(404);
  }
}
