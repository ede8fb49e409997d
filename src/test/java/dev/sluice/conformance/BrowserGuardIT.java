package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.access.Operation;
import dev.sluice.testing.AccessRow;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunningServer;
import dev.sluice.transport.ListenerContext;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What a browser on this machine may be made to send, byte for byte, on every road. */
class BrowserGuardIT {
  private static final String LOAD = "/v2/repository/models/digits/load";
  private static final Map<String, String> CONTROLS =
      Map.of(
          LOAD,
          "{}",
          "/v2/repository/models/digits/unload",
          "{}",
          "/v2/logging",
          "{\"log_verbose_level\":0}",
          "/v2/trace/setting",
          "{\"trace_rate\":\"5\"}");

  private static final String CHROME = "User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n";

  private static RunningServer server;
  private static RunningServer behindProxy;
  private static RunningServer withCors;

  @BeforeAll
  static void start() {
    ListenerConfig listener = RunningServer.LISTENER;
    server = start(listener.withAllowedHosts(List.of("sluice.example")));
    behindProxy = start(listener.withAllowedHosts(ListenerConfig.EVERY_HOST));
    withCors = start(RunningServer.cors(listener));
  }

  private static RunningServer start(ListenerConfig listener) {
    return RunningServer.start(
        RunningServer.settings(
            listener, RepositoryConfig.of(DesiredModels.only(Map.of()), Duration.ZERO)));
  }

  @AfterAll
  static void stop() {
    server.close();
    behindProxy.close();
    withCors.close();
  }

  /** Sends a head as it is, and gives the whole answer. */
  private static String send(RunningServer to, String head, String body) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), to.port())) {
      String length = body.isEmpty() ? "" : "Content-Length: " + body.length() + "\r\n";
      String all = head + length + "Connection: close\r\n\r\n" + body;
      socket.getOutputStream().write(all.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private static String get(RunningServer to, String host) throws IOException {
    return send(to, "GET /v2 HTTP/1.1\r\nHost: " + host + "\r\n", "");
  }

  private static String post(RunningServer to, String path, String headers, String body)
      throws IOException {
    String host = "Host: localhost:" + to.port() + "\r\n";
    return send(to, "POST " + path + " HTTP/1.1\r\n" + host + headers, body);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LOCALHOST:8080",
        "127.0.0.1",
        "127.0.0.1:1",
        "[::1]",
        "[::1]:8080",
        "sluice.example",
        "Sluice.example:443"
      })
  void knownHostsAreAnswered(String host) throws IOException {
    assertThat(get(server, host)).startsWith("HTTP/1.1 200 OK");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "evil.example:localhost",
        "10.0.0.1",
        "127.0.0.1.evil.example",
        "[::2]",
        ""
      })
  void otherHostsAreNamesThatWereReboundToThisMachine(String host) throws IOException {
    assertThat(get(server, host))
        .startsWith("HTTP/1.1 421 ")
        .contains("{\"error\":\"the request is for host ")
        .contains("(setting allowed_hosts)");
    assertThat(get(behindProxy, host)).doesNotContain("allowed_hosts");
  }

  @Test
  void aRequestWithoutHostIsMalformedUnlessItIsOfHttp10WhichHadNone() throws IOException {
    assertThat(send(server, "GET /v2 HTTP/1.1\r\n", ""))
        .startsWith("HTTP/1.1 400 ")
        .contains("the request has no Host header");
    assertThat(send(server, "GET /v2 HTTP/1.0\r\n", "")).startsWith("HTTP/1.0 200 OK");
    assertThat(send(behindProxy, "GET /v2 HTTP/1.0\r\n", "")).startsWith("HTTP/1.0 200 OK");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://evil.example/v2",
        "http://evil.example:8080/v2",
        "http://localhost@evil.example/v2",
        "http://evil.example?/v2",
        "HTTP://evil.example/v2"
      })
  void aTargetThatNamesAnotherHostCountsMoreThanTheHeader(String target) throws IOException {
    assertThat(send(server, "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n", ""))
        .startsWith("HTTP/1.1 421 ");
    assertThat(send(server, "GET http://localhost/v2 HTTP/1.1\r\nHost: evil.example\r\n", ""))
        .startsWith("HTTP/1.1 200 OK");
  }

  @Test
  void aRequestWithSeveralHostsIsRefusedEvenBehindAProxy() throws IOException {
    String hosts = "Host: localhost\r\nHost: evil.example\r\n";
    for (RunningServer each : List.of(server, behindProxy)) {
      assertThat(send(each, "GET /v2 HTTP/1.1\r\n" + hosts, ""))
          .startsWith("HTTP/1.1 400 ")
          .contains("several Host headers");
    }
  }

  @Test
  void http2NamesItsHostInTheAuthority() {
    assertThat(http2("evil.example")).isEqualTo(421);
    assertThat(http2("localhost")).isEqualTo(200);
  }

  private static int http2(String host) {
    Vertx vertx = Vertx.vertx();
    var options =
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false);
    HttpClient client = vertx.createHttpClient(options);
    try {
      var request =
          new RequestOptions()
              .setMethod(HttpMethod.GET)
              .setServer(SocketAddress.inetSocketAddress(server.port(), "127.0.0.1"))
              .setHost(host)
              .setPort(server.port())
              .setURI("/v2");
      return client
          .request(request)
          .compose(sent -> {
            sent.authority(HostAndPort.create(host, server.port()));
            return sent.send();
          })
          .map(answer -> answer.statusCode())
          .toCompletionStage()
          .toCompletableFuture()
          .join();
    } finally {
      // A client that nothing refers to any more may be closed at any time: keep it until here.
      client.close();
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "inference.GRPCInferenceService/ServerLive",
        "inference.GRPCInferenceService/ModelStreamInfer",
        "grpc.health.v1.Health/Check",
        "none/none"
      })
  void grpcIsAnsweredToKnownHostsOnly(String method) {
    assertThatThrownBy(() -> call("evil.example", method))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            refused -> {
              assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
              assertThat(refused).hasMessageContaining("setting allowed_hosts");
            });
  }

  @Test
  void grpcIsAnsweredToKnownHosts() {
    assertThat(call("sluice.example", "inference.GRPCInferenceService/ServerLive")).isNotEmpty();
  }

  private static byte[] call(String authority, String method) {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.port())
            .overrideAuthority(authority)
            .usePlaintext()
            .build();
    try {
      return RawCalls.send(channel, method, new byte[0]);
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void grpcWebIsAnsweredToKnownHostsOnly() throws IOException {
    String call =
        "POST /inference.GRPCInferenceService/ServerLive HTTP/1.1\r\n"
            + "Content-Type: application/grpc-web+proto\r\nHost: ";
    String none = "\0\0\0\0\0";
    assertThat(send(server, call + "evil.example\r\n", none))
        .contains("grpc-status:7")
        .contains("allowed_hosts");
    assertThat(send(server, call + "localhost\r\n", none)).contains("grpc-status:0");
  }

  /** The listener allows other origins: control is not among what it allows them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: https://evil.example\r\n",
        "Origin: null\r\n",
        "Origin: http://localhost:1\r\n",
        "Origin:\r\n",
        "Referer: https://evil.example/page\r\n",
        "Referer: http://localhost:1/\r\n",
        "Referer: evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        "Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n"
      })
  void pagesOfOtherOriginsChangeNothing(String headers) throws IOException {
    for (RunningServer each : List.of(server, behindProxy, withCors)) {
      for (var control : CONTROLS.entrySet()) {
        String json = headers + "Content-Type: application/json\r\n";
        assertThat(post(each, control.getKey(), json, control.getValue()))
            .as(control.getKey())
            .startsWith("HTTP/1.1 403 ")
            .doesNotContainIgnoringCase("access-control-allow");
      }
      for (String method : List.of("GET", "POST", "HEAD")) {
        String head = method + " /grps/v1/health/online HTTP/1.1\r\nHost: localhost:" + each.port();
        send(each, head + "\r\n" + headers, "");
        assertThat(each.control().online()).as(method).isFalse();
      }
    }
  }

  @Test
  void grpcWebPagesOfOtherOriginsChangeNothing() throws IOException {
    var root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    var log = new ListAppender<ILoggingEvent>();
    log.list = new CopyOnWriteArrayList<>();
    log.start();
    root.addAppender(log);
    try {
      refuseGrpcWebPages();
    } finally {
      root.detachAppender(log);
    }
    assertThat(log.list)
        .as("a refusal is no failure of the server's")
        .noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.ERROR));
  }

  /** Sends one request, and checks its answer. */
  private interface Sending {
    void run() throws IOException;
  }

  /**
   * The lines of the log about requests that were turned away. Sends until there is one: of what
   * other tests have sent a second before, as many were written as will be.
   */
  private static List<String> turnedAway(int least, Sending request) throws IOException {
    var logger = (Logger) LoggerFactory.getLogger(ListenerContext.class);
    var log = new ListAppender<ILoggingEvent>();
    log.list = new CopyOnWriteArrayList<>();
    log.start();
    logger.addAppender(log);
    try {
      for (int i = 0; i < least || (lines(log).isEmpty() && i < 20_000); i++) {
        request.run();
      }
    } finally {
      logger.detachAppender(log);
    }
    return lines(log);
  }

  private static List<String> lines(ListAppender<ILoggingEvent> log) {
    return log.list.stream()
        .filter(event -> event.getLevel() == Level.WARN && event.getKeyValuePairs() != null)
        .map(event -> event.getFormattedMessage() + " " + event.getKeyValuePairs())
        .filter(line -> line.contains("listener="))
        .toList();
  }

  @Test
  void foreignHostsLeaveFewLinesHoweverManyAsk() throws IOException {
    List<String> lines =
        turnedAway(40, () -> assertThat(get(server, "evil.example")).startsWith("HTTP/1.1 421 "));
    assertThat(lines).hasSizeBetween(1, 35);
    assertThat(lines.getFirst()).contains("evil.example").contains("status=\"421\"");
  }

  @Test
  void pagesThatAskBeforehandForControlLeaveALine() throws IOException {
    String origin = "Origin: https://evil.example\r\nHost: localhost\r\n";
    String ask = origin + "Access-Control-Request-Method: POST\r\n";
    for (String path : List.of(LOAD, "/inference.GRPCInferenceService/RepositoryModelLoad")) {
      String head = "OPTIONS " + path + " HTTP/1.1\r\n" + ask;
      List<String> lines =
          turnedAway(1, () -> assertThat(send(withCors, head, "")).startsWith("HTTP/1.1 4"));
      assertThat(lines).as(path).isNotEmpty().allMatch(line -> line.contains("evil.example"));
    }
  }

  @Test
  void noRouteOfControlIsSharedWithPagesAndEveryOtherIs() throws IOException {
    String page = "Origin: https://evil.example\r\n";
    List<String> wrong = new ArrayList<>();
    for (AccessRow row : AccessRow.HTTP) {
      if (row.operation() == Operation.SHARED_MEMORY) {
        // Not served here.
        continue;
      }
      String head = "%s %s HTTP/1.1\r\nHost: localhost\r\n".formatted(row.method(), row.path());
      String answer = send(withCors, head + page, row.method().equals("POST") ? "{}" : "");
      if (answer.toLowerCase(Locale.ROOT).contains("access-control-allow-origin")
          == row.controls()) {
        wrong.add(row + ": " + answer);
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static void refuseGrpcWebPages() throws IOException {
    String page = "Content-Type: application/grpc-web+proto\r\nOrigin: https://evil.example\r\n";
    Map<String, String> calls =
        Map.of(
            "/inference.GRPCInferenceService/RepositoryModelLoad", "\0\0\0\0\0",
            // A list of no models.
            "/tensorflow.serving.ModelService/HandleReloadConfigRequest", "\0\0\0\0\4\n\2\n\0");
    for (var call : calls.entrySet()) {
      for (RunningServer each : List.of(behindProxy, withCors)) {
        assertThat(post(each, call.getKey(), page, call.getValue()))
            .contains("grpc-status:7")
            .contains("evil.example")
            .doesNotContainIgnoringCase("access-control-allow");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        LOAD,
        "/v2/logging",
        "/v2/trace/setting",
        "/grps/v1/health/offline",
        "/inference.GRPCInferenceService/RepositoryModelLoad",
        "/inference.GRPCInferenceService/RepositoryModelUnload",
        "/tensorflow.serving.ModelService/HandleReloadConfigRequest"
      })
  void preflightRequestDoesNotGrantControl(String path) throws IOException {
    String origin = "Origin: https://evil.example\r\nHost: localhost\r\n";
    String ask = origin + "Access-Control-Request-Method: POST\r\n";
    assertThat(send(withCors, "OPTIONS " + path + " HTTP/1.1\r\n" + ask, ""))
        .doesNotContainIgnoringCase("access-control-allow")
        .doesNotContain("HTTP/1.1 200");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"text/plain", "Text/Plain;charset=UTF-8", "multipart/form-data; boundary=x"})
  void aBodyOfASimpleRequestChangesNothing(String type) throws IOException {
    assertThat(post(server, LOAD, "Content-Type: " + type + "\r\n", "{}"))
        .startsWith("HTTP/1.1 403 ")
        .contains("wanted application/json");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/xml",
        "application/jsonx",
        "application/json-patch+json",
        "*/*",
        "application/json, text/plain",
        "text/html, application/json",
        "x"
      })
  void aBodyOfAnotherTypeChangesNothing(String type) throws IOException {
    assertThat(post(server, LOAD, "Content-Type: " + type + "\r\n", "{}"))
        .startsWith("HTTP/1.1 400 ")
        .contains("a body of type " + type + " changes nothing; wanted application/json");
  }

  @SuppressWarnings("unused") // Named by the tests below.
  private static final List<List<String>> SEVERAL =
      List.of(
          List.of("Origin: http://localhost:PORT", "Origin: http://evil.example"),
          List.of("Origin: http://evil.example", "Origin: http://localhost:PORT"),
          List.of("Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site"),
          List.of("Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: same-site"),
          List.of("Referer: http://localhost:PORT/", "Referer: http://evil.example/"),
          List.of("Content-Type: application/json", "Content-Type: text/plain"),
          List.of("Content-Type: text/plain", "Content-Type: application/json"));

  @ParameterizedTest
  @FieldSource("SEVERAL")
  void headersThatContradictEachOtherChangeNothing(List<String> several) throws Exception {
    for (RunningServer each : List.of(server, behindProxy, withCors)) {
      String headers = headers(each, several);
      for (var control : CONTROLS.entrySet()) {
        assertThat(post(each, control.getKey(), headers, control.getValue()))
            .as(control.getKey())
            .matches("(?s)HTTP/1.1 40[03] .*");
      }
      assertThat(http2(each, LOAD, several, "{}".getBytes(ISO_8859_1))).matches("40[03]");
    }
  }

  @ParameterizedTest
  @FieldSource("SEVERAL")
  void callsWhoseHeadersContradictEachOtherChangeNothing(List<String> several) throws Exception {
    String load = "/inference.GRPCInferenceService/RepositoryModelLoad";
    for (RunningServer each : List.of(server, behindProxy, withCors)) {
      for (String type : List.of("application/grpc", "application/grpc-web")) {
        List<String> headers = new ArrayList<>(List.of("Content-Type: " + type));
        headers.addAll(several);
        assertThat(http2(each, load, headers, new byte[5])).as(type).matches("200 [37]");
      }
      String web = "Content-Type: application/grpc-web\r\n" + headers(each, several);
      assertThat(post(each, load, web, "\0\0\0\0\0")).containsPattern("grpc-status: ?[37]\\b");
    }
  }

  @Test
  void theSameHeaderTwiceContradictsNothing() throws IOException {
    String twice = "Content-Type: application/json\r\n".repeat(2);
    assertThat(post(server, LOAD, twice, "{}")).startsWith("HTTP/1.1 503 ");
  }

  private static String headers(RunningServer to, List<String> lines) {
    return (String.join("\r\n", lines) + "\r\n").replace("PORT", String.valueOf(to.port()));
  }

  /** Sends a POST by HTTP/2, and gives its status, and that of gRPC if there is one. */
  private static String http2(RunningServer to, String path, List<String> lines, byte[] body)
      throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      var options =
          new HttpClientOptions()
              .setProtocolVersion(HttpVersion.HTTP_2)
              .setHttp2ClearTextUpgrade(false);
      var request =
          new RequestOptions()
              .setMethod(HttpMethod.POST)
              .setHost("localhost")
              .setPort(to.port())
              .setURI(path);
      // Held, or its connection is closed when the garbage collector finds it.
      HttpClient client = vertx.createHttpClient(options);
      String statuses =
          client
              .request(request)
              .compose(sent -> {
                for (String line : headers(to, lines).split("\r\n", -1)) {
                  int colon = line.indexOf(':');
                  if (colon > 0) {
                    sent.headers().add(line.substring(0, colon), line.substring(colon + 2));
                  }
                }
                return sent.send(Buffer.buffer(body))
                    .compose(answer -> answer.body().map(bytes -> statuses(answer, bytes)));
              })
              .toCompletionStage()
              .toCompletableFuture()
              .get(20, TimeUnit.SECONDS);
      client.close();
      return statuses;
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private static String statuses(HttpClientResponse answer, Buffer body) {
    String trailers =
        answer.headers() + "\n" + answer.trailers() + "\n" + body.toString(ISO_8859_1);
    var status = Pattern.compile("grpc-status[:=] ?(\\d+)").matcher(trailers);
    return answer.statusCode() + (status.find() ? " " + status.group(1) : "");
  }

  /** The models are not under the callers' control here, which is another and later answer. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Type: application/json\r\n",
        "",
        "Content-Type: application/x-www-form-urlencoded\r\nUser-Agent: curl/8.5.0\r\n",
        "Content-Type: application/octet-stream\r\nUser-Agent: Python/3.11 aiohttp/3.10\r\n",
        "Content-Type: application/json; charset=utf-8\r\n",
        "Content-Type: APPLICATION/JSON\r\n",
        "Content-Type:\r\n",
        "Content-Type: application/json\r\nReferer: http://localhost:PORT/console\r\n",
        "Content-Type: application/json\r\nOrigin: http://localhost:PORT\r\n",
        "Content-Type: application/json\r\nSec-Fetch-Site: same-origin\r\n",
      })
  void clientsAndPagesOfTheServerItselfControl(String headers) throws IOException {
    String port = Integer.toString(server.port());
    assertThat(post(server, LOAD, headers.replace("PORT", port), "{}")).startsWith("HTTP/1.1 503 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        CHROME,
        "Origin: http://localhost:PORT\r\n",
        "Referer: http://localhost:PORT/\r\n",
        "Sec-Fetch-Site: same-origin\r\n",
        "Sec-Fetch-Site: none\r\n",
        "Sec-Fetch-Mode: navigate\r\n",
        "Sec-Fetch-Dest: document\r\n"
      })
  void aFormOfABrowserChangesNothingThoughCurlSendsTheSameType(String browser) throws IOException {
    String form = "Content-Type: application/x-www-form-urlencoded\r\n";
    String mark = browser.replace("PORT", String.valueOf(server.port()));
    assertThat(post(server, LOAD, mark + form, "{}")).startsWith("HTTP/1.1 403 ");
  }

  @Test
  void anImageOfAPageDoesNotSwitchTheServer() throws IOException {
    String head = "GET /grps/v1/health/online HTTP/1.1\r\nHost: localhost\r\n";
    send(server, head + CHROME, "");
    assertThat(server.control().online()).isFalse();
    send(server, head + CHROME + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: image\r\n", "");
    assertThat(server.control().online()).isFalse();
    send(server, head + "User-Agent: curl/8.5.0\r\n", "");
    assertThat(server.control().online()).isTrue();
    send(server, head.replace("online", "offline"), "");
  }

  @Test
  void inferenceIsAnsweredForPagesOfOtherOriginsWhichMayReadItOnlyWithCors() throws IOException {
    String page = "Origin: https://evil.example\r\nContent-Type: text/plain\r\n";
    String predict = "/v1/models/digits:predict";
    assertThat(post(server, predict, page, "{}"))
        .startsWith("HTTP/1.1 404 ")
        .doesNotContainIgnoringCase("access-control-allow-origin");
    assertThat(post(withCors, predict, page, "{}"))
        .startsWith("HTTP/1.1 404 ")
        .containsIgnoringCase("access-control-allow-origin: *");
  }
}
