package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.Chromium;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.RecordingRelay;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What pages in a real browser can do to a server whose control is open to every caller, so that
 * only the checks of browser requests protect it.
 */
@Tag("browser")
@Timeout(600)
class ChromiumIT {
  private static final String MODEL = "half_plus_two";
  private static final int TIMEOUT_SECONDS = 120;

  /** Attacks whose requests a browser sends without a preflight request. */
  private static final List<String> SENT =
      List.of(
          "text",
          "urlencoded",
          "multipart",
          "untyped",
          "offline",
          "logging",
          "get",
          "grpcweb-untyped",
          "image",
          "script",
          "frame",
          "form",
          "form-text",
          "beacon");

  /** Attacks that a browser asks permission for, by a preflight request. */
  private static final List<String> ASKED =
      List.of("json", "json-logging", "grpcweb-unload", "grpcweb-reload");

  /** What a page asks the server at whose address it was loaded. */
  private static final String READ =
      """
      (async () => {
        const ask = async (path, method) => {
          const headers = method === 'POST' ? {'Content-Type': 'application/json'} : {};
          const answer = await fetch(path, {method, headers, body: method === 'POST' ? '{}' : null});
          return answer.status + ' ' + await answer.text();
        };
        return JSON.stringify({
          status: performance.getEntriesByType('navigation')[0].responseStatus,
          page: document.documentElement.outerHTML,
          index: await ask('/v2/repository/index', 'POST'),
          metadata: await ask('/v2/models/half_plus_two', 'GET'),
          unload: await ask('/v2/repository/models/half_plus_two/unload', 'POST')
        });
      })()\
      """;

  @TempDir static Path profile;

  private static final BlockingQueue<String> findings = new LinkedBlockingQueue<>();

  @AutoClose private static Chromium browser;
  @AutoClose private static RunningServer plain;
  @AutoClose private static RunningServer withCors;
  private static HttpServer hostile;

  @BeforeAll
  static void start() throws IOException {
    hostile = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    hostile.createContext("/", ChromiumIT::answer);
    hostile.start();
    plain = start(RunningServer.LISTENER);
    withCors = start(RunningServer.cors(RunningServer.LISTENER));
    browser = Chromium.start(profile);
  }

  private static RunningServer start(ListenerConfig listener) {
    Path models = Objects.requireNonNull(TestModels.sample(MODEL, "").getParent());
    var repository =
        RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ZERO)
            .withControl(new ControlConfig(ControlConfig.Mode.EXPLICIT, Set.of(MODEL), true));
    return RunningServer.start(RunningServer.settings(listener, repository));
  }

  /** Answers with the hostile page, and takes its findings. */
  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange;
        InputStream page = ChromiumIT.class.getResourceAsStream("/browser/hostile.html")) {
      if (exchange.getRequestMethod().equals("POST")) {
        findings.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        exchange.sendResponseHeaders(204, -1);
        return;
      }
      byte[] html = Objects.requireNonNull(page).readAllBytes();
      exchange.getResponseHeaders().add("Content-Type", "text/html; charset=utf-8");
      exchange.sendResponseHeaders(200, html.length);
      exchange.getResponseBody().write(html);
    }
  }

  @AfterAll
  static void stop() {
    hostile.stop(0);
  }

  /** Another site's page, and one that another program on this machine serves. */
  @ParameterizedTest
  @CsvSource({
    "false, " + Chromium.HOSTILE_HOST,
    "false, 127.0.0.1",
    "true, " + Chromium.HOSTILE_HOST,
    "true, 127.0.0.1"
  })
  void pageOfAnotherOriginChangesNothing(boolean cors, String host) throws Exception {
    RunningServer server = cors ? withCors : plain;
    try (var client = new HttpCaller(server.port());
        var relay = new RecordingRelay(server.port())) {
      assertThat(ask(client, "GET", "/grps/v1/health/online").status()).isEqualTo(200);
      String logging = ask(client, "GET", "/v2/logging").text();

      JsonObject found = attack(host, relay.port());

      for (String name : SENT) {
        assertThat(found.getString(name)).as(name).isEqualTo("sent");
        assertThat(relay.requests()).containsPattern("(GET|POST) /\\S+by=" + name + " HTTP/1.1");
      }
      for (String name : ASKED) {
        assertThat(found.getString(name)).as(name).isEqualTo("blocked");
        assertThat(relay.requests())
            .containsPattern("OPTIONS /\\S+by=" + name + " HTTP/1.1")
            .doesNotContainPattern("POST /\\S+by=" + name + " HTTP/1.1");
      }
      assertThat(found.getString("simple")).isEqualTo("blocked");
      assertThat(found.getString("metadata")).startsWith(cors ? "read 200 {" : "blocked");
      assertThat(relay.answers()).contains("HTTP/1.1 403 ");
      assertThat(relay.answers().split("HTTP/1.1 2", -1)).as("metadata alone").hasSize(2);

      server.awaitReconciled();
      assertThat(server.control().online()).isTrue();
      assertThat(ask(client, "GET", "/v2/models/" + MODEL + "/ready").status()).isEqualTo(200);
      assertThat(ask(client, "GET", "/v2/logging").text()).isEqualTo(logging);
    }
  }

  private static JsonObject attack(String host, int port) throws InterruptedException {
    String page = "http://" + host + ":" + hostile.getAddress().getPort();
    browser.open(page + "/?target=http://127.0.0.1:" + port);
    String found = findings.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    assertThat(found).as("what the page reports").isNotNull();
    return new JsonObject(found);
  }

  private static Answer ask(HttpCaller client, String method, String path) {
    return client.send(method, path, Buffer.buffer(method.equals("POST") ? "{}" : ""));
  }

  /** The browser takes the page for one of the attacker's own site, which now leads here. */
  @Test
  void pageWhoseNameWasReboundReadsAndChangesNothing() {
    for (RunningServer server : List.of(plain, withCors)) {
      browser.open("http://" + Chromium.HOSTILE_HOST + ":" + server.port() + "/");
      var read = new JsonObject((String) browser.evaluate(READ));
      assertThat(read.getInteger("status")).isEqualTo(421);
      assertThat(read.getString("page")).contains("setting allowed_hosts");
      for (String part : List.of("index", "metadata", "unload")) {
        assertThat(read.getString(part)).as(part).startsWith("421 ");
      }
      assertThat(read.encode()).doesNotContain(MODEL);
      server.awaitReconciled();
      try (var client = new HttpCaller(server.port())) {
        assertThat(ask(client, "GET", "/v2/models/" + MODEL + "/ready").status()).isEqualTo(200);
      }
    }
  }

  /** What the two tests above refuse does work, by a client's or the console's own request. */
  @Test
  void consoleAndClientsOutsideBrowsersControl() {
    try (var client = new HttpCaller(plain.port())) {
      browser.open("http://127.0.0.1:" + plain.port() + "/");
      var read = new JsonObject((String) browser.evaluate(READ));
      assertThat(read.getInteger("status")).isEqualTo(200);
      assertThat(read.getString("index")).startsWith("200 ").contains(MODEL);
      assertThat(read.getString("metadata")).startsWith("200 ").contains(MODEL);
      assertThat(read.getString("unload")).startsWith("200 ");
      plain.awaitReconciled();
      assertThat(ask(client, "GET", "/v2/models/" + MODEL + "/ready").status()).isNotEqualTo(200);

      String load = "/v2/repository/models/" + MODEL + "/load";
      assertThat(ask(client, "POST", load).status()).isEqualTo(200);
      plain.awaitReconciled();
      assertThat(ask(client, "GET", "/v2/models/" + MODEL + "/ready").status()).isEqualTo(200);
      assertThat(ask(client, "GET", "/grps/v1/health/offline").status()).isEqualTo(200);
      assertThat(plain.control().online()).isFalse();
      assertThat(ask(client, "GET", "/grps/v1/health/online").status()).isEqualTo(200);
      assertThat(plain.control().online()).isTrue();
    }
  }
}
