package dev.sluice.ops.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.security.ApiKeysConfig;
import dev.sluice.config.security.JwtConfig;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.PolicyConfig.Role;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.AccessRow;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import dev.sluice.testing.TestModels;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The API documents of a server that everybody may control, and of one with a policy. */
class OpenApiIT {
  private static final String HOSTILE = "a{b} <img src=x>%2e é";
  private static final String HOSTILE_PATH = "a%7Bb%7D%20%3Cimg%20src%3Dx%3E%252e%20%C3%A9";
  private static final String KEY = "0123456789abcdef-ci";

  @TempDir private static Path models;
  private static RunningServer server;
  private static RunningServer guarded;
  private static HttpCaller http;
  private static HttpCaller withPolicy;

  @BeforeAll
  static void start() throws IOException {
    for (String name : List.of("addsub", "half_plus_two", "language", "types", "writer")) {
      TestModels.copy(Path.of("src/sample/models", name), models.resolve(name));
    }
    TestModels.copy(Path.of("src/sample/models/addsub"), models.resolve(HOSTILE));
    StepModels.counter(models, "{ feedback: { y: x }, stop: { steps: 3 } }");
    server = RunningServer.start(models);
    guarded =
        RunningServer.start(
            RunningServer.settings(
                    ListenerConfig.DEFAULT.withPort(0),
                    RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ZERO))
                .with(policy()));
    http = new HttpCaller(server.port());
    withPolicy = new HttpCaller(guarded.port());
  }

  /** Anonymous callers know addsub and may ask nothing; a key may ask half_plus_two besides. */
  private static SecurityConfig policy() {
    return new SecurityConfig(
        List.of(
            new PolicyConfig(
                List.of("anonymous"), Set.of(Role.METADATA), List.of("addsub"), List.of()),
            new PolicyConfig(
                List.of("key:ci"),
                Set.of(Role.METADATA, Role.INFERENCE),
                List.of("half_plus_two"),
                List.of())),
        new ApiKeysConfig(ApiKeysConfig.parse(Path.of("keys"), "ci: " + KEY), Optional.empty()),
        JwtConfig.DEFAULT);
  }

  @AfterAll
  static void stop() {
    http.close();
    withPolicy.close();
    server.close();
    guarded.close();
  }

  private static JsonObject document(String name) {
    return document(http, "/openapi/" + name + ".json", MultiMap.caseInsensitiveMultiMap());
  }

  private static JsonObject document(HttpCaller from, String target, MultiMap headers) {
    Answer answer = from.send("GET", target, headers, Buffer.buffer());
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.contentType()).isEqualTo("application/json");
    return answer.body().toJsonObject();
  }

  private static Set<String> paths(JsonObject document) {
    return document.getJsonObject("paths").fieldNames();
  }

  @ParameterizedTest
  @CsvSource({"20, true", "90.5, true", "0.5m, true", "90000ms, true", "10.25s, true", "2h, false"})
  void timeoutOfARequestHasAUnitThatIsKnown(String timeout, boolean valid) {
    JsonObject parameter =
        document("v1")
            .getJsonObject("components")
            .getJsonObject("parameters")
            .getJsonObject("Request-Timeout");
    String pattern = parameter.getJsonObject("schema").getString("pattern");
    assertThat(timeout.matches(pattern)).isEqualTo(valid);
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add("Request-Timeout", timeout);
    Answer answer =
        http.send(
            "POST",
            "/v1/models/half_plus_two:predict",
            headers,
            Buffer.buffer("{\"instances\":[1]}"));
    assertThat(answer.status() == 200).isEqualTo(valid);
  }

  @Test
  void documentSaysWhatABodyWithoutJsonIs() {
    JsonObject components = document("v2").getJsonObject("components");
    String name = "Inference-Header-Content-Length";
    JsonObject asked = components.getJsonObject("parameters").getJsonObject(name);
    assertThat(asked.getJsonObject("schema").getInteger("minimum")).isZero();
    assertThat(asked.getString("description")).contains("0: the whole body is the only input");
    JsonObject answered = components.getJsonObject("headers").getJsonObject(name);
    assertThat(answered.getJsonObject("schema").getInteger("minimum")).isOne();
  }

  @Test
  void everyDocumentIsListedAndAnswered() {
    JsonObject list = document(http, "/openapi", MultiMap.caseInsensitiveMultiMap());
    assertThat(list.getString("console")).isEqualTo("console");
    assertThat(list.getJsonArray("documents"))
        .extracting(one -> ((JsonObject) one).getString("url"))
        .containsExactly(
            "openapi/v1.json",
            "openapi/v2.json",
            "openapi/openai.json",
            "openapi/grps.json",
            "openapi/server.json")
        .allSatisfy(url ->
            assertThat(http.send("GET", "/" + url, Buffer.buffer()).text())
                .startsWith("{\"openapi\":\"3.1.1\""));
  }

  @Test
  void everyRouteIsInADocument() {
    Set<String> documented = new TreeSet<>();
    for (String name : List.of("v1", "v2", "openai", "grps", "server")) {
      JsonObject paths = document(name).getJsonObject("paths");
      for (String path : paths.fieldNames()) {
        String plain = path.replace("{document}", "v1").replace("/half_plus_two", "/{model}");
        paths
            .getJsonObject(path)
            .fieldNames()
            .forEach(method -> documented.add(method.toUpperCase(Locale.ROOT) + " " + plain));
      }
    }
    assertThat(documented).containsAll(routes());
  }

  /** Those that are no files of the page, and need no setting. */
  private static Set<String> routes() {
    return AccessRow.HTTP.stream()
        .filter(row -> !row.path().startsWith("//") && !row.method().equals("HEAD"))
        .filter(row -> !row.path().startsWith("/openapi/") || row.path().endsWith("v1.json"))
        .filter(row -> row.operation().role() != dev.sluice.inference.access.Role.SHARED_MEMORY)
        .map(row -> row.method() + " " + row.path().replace("/half_plus_two", "/{model}"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1", "v2"})
  void everyExampleWorks(String name) {
    JsonObject paths = document(name).getJsonObject("paths");
    int sent = 0;
    for (String path : paths.fieldNames()) {
      JsonObject example = example(paths.getJsonObject(path));
      if (example != null && !path.endsWith(":explain") && !path.contains("{")) {
        Answer answer = http.send("POST", path, example.toBuffer());
        assertThat(answer.status()).as(path + ": " + answer.text()).isEqualTo(200);
        sent++;
      }
    }
    assertThat(sent).isGreaterThan(10);
    assertThat(paths.fieldNames()).anyMatch(path -> path.contains("/" + HOSTILE_PATH));
  }

  private static @Nullable JsonObject example(JsonObject item) {
    if (!item.containsKey("post") || !item.getJsonObject("post").containsKey("requestBody")) {
      return null;
    }
    return item.getJsonObject("post")
        .getJsonObject("requestBody")
        .getJsonObject("content")
        .getJsonObject("application/json")
        .getJsonObject("example");
  }

  @Test
  void namesOfModelsAreNoNamesOfComponents() {
    JsonObject components = document("v2").getJsonObject("components");
    for (String kind : components.fieldNames()) {
      assertThat(components.getJsonObject(kind).fieldNames())
          .allMatch(name -> name.matches("[A-Za-z0-9._-]+"));
    }
  }

  @Test
  void aQueryNamesTheModelThatADocumentIsAbout() {
    JsonObject one =
        document(http, "/openapi/v2.json?model=addsub", MultiMap.caseInsensitiveMultiMap());
    assertThat(paths(one))
        .contains("/v2/models/addsub/infer", "/v2/health/live")
        .noneMatch(path -> path.contains("half_plus_two"));
  }

  @Test
  void aDecoupledModelIsAskedByStreamsAlone() {
    assertThat(paths(document("v2")))
        .contains("/v2/models/counter/generate_stream")
        .doesNotContain("/v2/models/counter/infer", "/v2/models/counter/generate");
  }

  @Test
  void aModelThatStreamsTextIsAskedForTheWholeToo() {
    assertThat(paths(document("v2")))
        .contains(
            "/v2/models/writer/generate_stream",
            "/v2/models/writer/infer",
            "/v2/models/writer/generate");
  }

  @Test
  void aCallerSeesTheModelsAndOperationsThatItHasARightTo() {
    JsonObject anonymous =
        document(withPolicy, "/openapi/v2.json", MultiMap.caseInsensitiveMultiMap());
    assertThat(anonymous.encode()).contains("addsub").doesNotContain("half_plus_two", "language");
    assertThat(paths(anonymous)).noneMatch(path -> path.endsWith("/infer"));
    JsonObject key =
        document(
            withPolicy,
            "/openapi/v2.json",
            MultiMap.caseInsensitiveMultiMap().add("X-API-Key", KEY));
    assertThat(paths(key)).contains("/v2/models/half_plus_two/infer");
    assertThat(paths(key)).doesNotContain("/v2/logging", "/v2/models/language/infer");
    assertThat(key.getJsonObject("components").getJsonObject("securitySchemes").fieldNames())
        .containsExactly("apiKey", "bearer");
    assertThat(key.getJsonArray("security").encode())
        .isEqualTo("[{\"apiKey\":[]},{\"bearer\":[]}]");
  }

  @Test
  void aWrongKeyIsRefused() {
    MultiMap wrong = MultiMap.caseInsensitiveMultiMap().add("X-API-Key", "wrong");
    assertThat(withPolicy.send("GET", "/openapi/v2.json", wrong, Buffer.buffer()).status())
        .isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/openapi", "/openapi/v2.json", "/openapi/page.js", "/openapi/swagger-ui.css"})
  void whatTheClientHasIsNotSentAgain(String path) {
    String tag = http.send("GET", path, Buffer.buffer()).headers().get("ETag");
    for (String known : List.of(tag, "\"other\", " + tag, tag.substring(2), "*")) {
      Answer again =
          http.send(
              "GET",
              path,
              MultiMap.caseInsensitiveMultiMap().add("If-None-Match", known),
              Buffer.buffer());
      assertThat(again.status()).as(known).isEqualTo(304);
      assertThat(again.body().length()).isZero();
      assertThat(again.headers().get("ETag")).isEqualTo(tag);
    }
    MultiMap other = MultiMap.caseInsensitiveMultiMap().add("If-None-Match", "\"other\"");
    assertThat(http.send("GET", path, other, Buffer.buffer()).status()).isEqualTo(200);
  }

  @Test
  void anotherMethodIsAnsweredWithThoseThatAre() {
    Answer answer = http.send("POST", "/openapi/v2.json", Buffer.buffer("{}"));
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.headers().get("Allow")).isEqualTo("GET, HEAD");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/openapi/", "/openapi/v3.json", "/openapi/page.html", "/openapi/../v2"})
  void whatIsNoDocumentIsNotFound(String path) {
    assertThat(http.send("GET", path, Buffer.buffer()).status()).isEqualTo(404);
  }

  @Test
  void aBrowserGetsAPageThatLoadsNothingFromElsewhere() {
    Answer page =
        http.send(
            "GET",
            "/openapi",
            MultiMap.caseInsensitiveMultiMap().add("Accept", "text/html,*/*"),
            Buffer.buffer());
    assertThat(page.contentType()).startsWith("text/html");
    assertThat(page.text()).doesNotContain("http:", "https:", "<script>", "style=");
    assertThat(page.headers().get("Content-Security-Policy"))
        .contains("default-src 'none'", "script-src 'self';", "style-src 'self';")
        .doesNotContain("unsafe");
  }
}
