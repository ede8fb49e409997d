package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.ApiKey;
import dev.sluice.config.security.ApiKeysConfig;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.JwtConfig;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import dev.sluice.transport.ListenerContext;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Roundabout ways to operations that need control, which anonymous callers do not have. */
class ControlAttacksIT {
  private static final int TIMEOUT_MILLIS = 20_000;
  private static final String RELOAD = "tensorflow.serving.ModelService/HandleReloadConfigRequest";

  /** A ReloadConfigRequest that asks for no model at all. */
  private static final byte[] NO_MODELS = {0x0a, 0x02, 0x0a, 0x00};

  private static final Vertx VERTX = Vertx.vertx();
  private static RunningServer server;
  private static String before;

  @BeforeAll
  static void start() {
    server = RunningServer.start(settings());
    before = state();
  }

  private static SluiceConfig settings() {
    var models = new DesiredModels(Path.of("src/sample/models"), Map.of());
    return RunningServer.settings(
        ListenerConfig.DEFAULT.withPort(0).with(ControlAccess.POLICY),
        RepositoryConfig.of(models, Duration.ZERO));
  }

  @AfterAll
  static void stop() {
    VERTX.close().toCompletionStage().toCompletableFuture().join();
    server.close();
  }

  private static String state() {
    server.awaitReconciled();
    return server.control().models() + " online: " + server.control().online();
  }

  private static final List<String> TARGETS =
      List.of(
          "/v2/repository/models/digits/unload",
          "/v2/repository/models/digits/load",
          "/v2/logging",
          "/v2/trace/setting",
          "/v2/models/digits/trace/setting",
          "/grps/v1/health/online",
          "/grps/v1/health/offline");

  /** Forms of a path, of which it is the second half behind its first segment. */
  private static List<String> forms(String path) {
    int second = path.indexOf('/', 1);
    String first = path.substring(0, second);
    String rest = path.substring(second);
    int last = path.lastIndexOf('/') + 1;
    String encoded = "%%%02x".formatted((int) path.charAt(last)).concat(path.substring(last + 1));
    return List.of(
        path,
        path + "/",
        path + "//",
        "/" + path,
        first + "/" + rest,
        path + ";x=1",
        first + ";x=1" + rest,
        path + "?x=1",
        path + "#x",
        path + "%00",
        path + "%20",
        path + "%2f",
        path + "/.",
        path + "/%2e",
        path + "/x/..",
        path + "/x/%2e%2e",
        first + "/." + rest,
        first + "/%2e" + rest,
        first + "/x/.." + rest,
        first + "/x/%2e%2e" + rest,
        first + "/models/digits/../.." + rest,
        first + "/models/digits/%2E%2E/%2E%2E" + rest,
        first + "%2f" + rest.substring(1),
        first + "\\" + rest.substring(1),
        path.substring(0, last) + encoded,
        path.toUpperCase(Locale.ROOT),
        first.toUpperCase(Locale.ROOT) + rest,
        "http://localhost" + path,
        "http://admin.internal" + path,
        "HTTP://localhost:1/" + path,
        path.substring(1),
        "/v1/models/.." + path,
        "/metrics/.." + path);
  }

  /** Headers by which some servers or proxies take a request for another one. */
  private static final List<String> OVERRIDES =
      List.of(
          "X-HTTP-Method-Override: POST",
          "X-HTTP-Method: POST",
          "X-Method-Override: POST",
          "X-Original-URL: /v2/repository/models/digits/unload",
          "X-Rewrite-URL: /v2/repository/models/digits/unload",
          "X-Forwarded-For: 127.0.0.1",
          "Forwarded: for=127.0.0.1",
          "X-Real-IP: 127.0.0.1",
          "X-Forwarded-User: admin",
          "X-Forwarded-Client-Cert: Subject=\"CN=admin\"",
          "Authorization: Basic YWRtaW46YWRtaW4=",
          "Authorization: Bearer x\r\nAuthorization: Bearer y");

  @Test
  void noFormOfAPathReachesControl() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (String target : TARGETS) {
      for (String form : forms(target)) {
        for (String method : List.of("POST", "GET", "HEAD", "PUT")) {
          expectRefused(method + " " + form, ask(method, form, ""), wrong);
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void noHeaderMakesARequestControl() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (String header : OVERRIDES) {
      for (String target : TARGETS) {
        for (String method : List.of("POST", "GET")) {
          expectRefused(
              header + " " + method + " " + target, ask(method, target, header + "\r\n"), wrong);
        }
      }
      ask("GET", "/v2/health/live", header + "\r\n");
    }
    assertThat(wrong).isEmpty();
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void noContentTypeOrEncodingOfGrpcWebReachesAReload() throws IOException {
    List<String> wrong = new ArrayList<>();
    byte[] plain = framed(0, NO_MODELS);
    byte[] zipped = framed(1, gzip(NO_MODELS));
    byte[] text = Base64.getEncoder().encode(plain);
    for (String path :
        List.of(
            "/" + RELOAD,
            "//" + RELOAD,
            "/" + RELOAD + "/",
            "/" + RELOAD + "?x",
            "/" + RELOAD + ";x",
            "/" + RELOAD.toLowerCase(Locale.ROOT),
            "/" + RELOAD.replace("Handle", "%48andle"),
            "/x/../" + RELOAD,
            "http://localhost/" + RELOAD,
            "/grpc.health.v1.Health/../" + RELOAD,
            "/grpc.health.v1.Health/" + RELOAD)) {
      for (String type :
          List.of(
              "application/grpc-web",
              "application/grpc-web+proto",
              "application/grpc-web+json",
              "application/grpc-web+thrift",
              "APPLICATION/gRPC-Web",
              "application/grpc-web; charset=utf-8",
              "application/grpc",
              "application/grpc+json",
              "application/x-protobuf",
              "application/json")) {
        String about = path + " " + type;
        expectNoStatusOfSuccess(about, post(server.port(), path, type, "", plain), wrong);
        expectNoStatusOfSuccess(
            about, post(server.port(), path, type, "grpc-encoding: gzip\r\n", zipped), wrong);
      }
      for (String type : List.of("application/grpc-web-text", "application/grpc-web-text+proto")) {
        expectNoStatusOfSuccess(
            path + " " + type, post(server.port(), path, type, "", text), wrong);
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(state()).isEqualTo(before);
  }

  /** What the other tests look for is there where control is open. */
  @Test
  void theSameReloadSucceedsWhereControlIsOpen() throws IOException {
    var none = new DesiredModels(Path.of("src/sample/models/digits/none"), Map.of());
    try (var open =
        RunningServer.start(
            RunningServer.settings(
                RunningServer.LISTENER, RepositoryConfig.of(none, Duration.ZERO)))) {
      List<String> found = new ArrayList<>();
      byte[] plain = framed(0, NO_MODELS);
      byte[] zipped = framed(1, gzip(NO_MODELS));
      byte[] text = Base64.getEncoder().encode(plain);
      String path = "/" + RELOAD;
      String web = "application/grpc-web";
      int port = open.port();
      expectNoStatusOfSuccess("plain", post(port, path, web, "", plain), found);
      expectNoStatusOfSuccess(
          "zipped", post(port, path, web, "grpc-encoding: gzip\r\n", zipped), found);
      expectNoStatusOfSuccess("text", post(port, path, web + "-text", "", text), found);
      assertThat(found).hasSize(3);
    }
  }

  /** The log of what was allowed names only what was done. */
  @Test
  void anOperationWhoseHeadCannotBeReadIsNotLoggedAsAllowed() {
    var written = new ListAppender<ILoggingEvent>();
    var logger = (Logger) LoggerFactory.getLogger(ListenerContext.class);
    written.start();
    logger.addAppender(written);
    try (var open =
            RunningServer.start(
                RunningServer.settings(
                    RunningServer.LISTENER,
                    RepositoryConfig.of(
                        new DesiredModels(Path.of("src/sample/models/digits/none"), Map.of()),
                        Duration.ZERO)));
        var caller = new HttpCaller(open.port())) {
      MultiMap headers =
          MultiMap.caseInsensitiveMultiMap().add("Request-Timeout", "when it suits you");
      Buffer none = Buffer.buffer("{}");
      String unload = "/v2/repository/models/digits/unload";
      assertThat(caller.send("POST", unload, headers, none).status()).isEqualTo(400);
      assertThat(List.copyOf(written.list))
          .extracting(ILoggingEvent::getFormattedMessage)
          .noneMatch(line -> line.contains("is allowed"));
      caller.send("POST", unload, none);
      assertThat(List.copyOf(written.list))
          .extracting(ILoggingEvent::getFormattedMessage)
          .anyMatch(line -> line.contains("is allowed"));
    } finally {
      logger.detachAppender(written);
    }
  }

  @Test
  void noPathOfHttp2ReachesControl() throws Exception {
    List<String> wrong = new ArrayList<>();
    Buffer message = Buffer.buffer(framed(0, NO_MODELS));
    for (String path :
        List.of(
            "/" + RELOAD,
            "//" + RELOAD,
            "/" + RELOAD + "/",
            "/" + RELOAD + "?x=1",
            RELOAD,
            "http://localhost/" + RELOAD,
            "/inference.GRPCInferenceService/RepositoryModelUnload",
            "/inference.GRPCInferenceService/LogSettings",
            "/inference.GRPCInferenceService/TraceSetting",
            "/grps.protos.v1.GrpsService/Online",
            "/grps.protos.v1.GrpsService/Offline",
            "/grps.protos.v1.GrpsService/%4fnline")) {
      for (String type :
          List.of("application/grpc", "application/grpc+proto", "application/grpc+json")) {
        String answer = http2(path, type, message);
        if (answer.contains("grpc-status=0") || answer.contains("status=5")) {
          wrong.add(path + " " + type + ": " + answer);
        }
      }
    }
    for (String target : TARGETS) {
      for (String form : forms(target)) {
        String answer = http2(form, "application/json", Buffer.buffer("{}"));
        if (answer.startsWith("status=2") || answer.startsWith("status=5")) {
          wrong.add(form + ": " + answer);
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void standardServicesTakeNoJson() throws Exception {
    for (String path :
        List.of(
            "/grpc.health.v1.Health/Check",
            "/grpc.health.v1.Health/Watch",
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")) {
      Buffer message = Buffer.buffer(framed(0, "{}".getBytes(StandardCharsets.UTF_8)));
      assertThat(http2(path, "application/grpc+json", message)).startsWith("status=415");
      assertThat(http2(path, "application/grpc-web+json", message)).startsWith("status=415");
      assertThat(
              new String(
                  post(server.port(), path, "application/grpc-web+json", "", message.getBytes()),
                  StandardCharsets.ISO_8859_1))
          .startsWith("HTTP/1.1 415 ");
    }
  }

  @Test
  void noNameOfABrpcMethodReachesControl() throws IOException {
    String service = "grps.protos.v1.GrpsBrpcService";
    List<String> wrong = new ArrayList<>();
    try (var client = new BrpcClient(server.port())) {
      for (String of : List.of(service, "GrpsBrpcService", service + ".", service + "/", "")) {
        for (String method :
            List.of(
                "Online",
                "Offline",
                "online",
                "OFFLINE",
                " Offline",
                "Offline ",
                "Offline\0",
                "../Offline",
                "/Offline",
                service + ".Offline",
                RELOAD)) {
          int code = client.ask(new BrpcClient.Call(of, method, 1), NO_MODELS).errorCode();
          if (code == 0) {
            wrong.add(of + " " + method);
          }
        }
      }
      for (String other :
          List.of(
              "tensorflow.serving.ModelService",
              "inference.GRPCInferenceService",
              "grps.protos.v1.GrpsService")) {
        for (String method :
            List.of("HandleReloadConfigRequest", "RepositoryModelUnload", "Offline")) {
          if (client.ask(new BrpcClient.Call(other, method, 1), NO_MODELS).errorCode() == 0) {
            wrong.add(other + " " + method);
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void eachKindOfRefusedControlCallIsALineHoweverManyThereAre() throws Exception {
    String key = "0123456789abcdef-log";
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
    var keys =
        new ApiKeysConfig(
            List.of(new ApiKey("flood", HexFormat.of().formatHex(hash))), Optional.empty());
    String credential = "Authorization: Bearer " + key + "\r\n";
    var written = new ListAppender<ILoggingEvent>();
    written.list = new CopyOnWriteArrayList<>();
    written.start();
    var logger = (Logger) LoggerFactory.getLogger(ListenerContext.class);
    logger.addAppender(written);
    var security = new SecurityConfig(SecurityConfig.DEFAULT.policies(), keys, JwtConfig.DEFAULT);
    try (var known = RunningServer.start(settings().with(security))) {
      for (int i = 0; i < 50; i++) {
        ask(known.port(), "POST", "/v2/repository/models/digits/unload", credential);
      }
      ask(known.port(), "POST", "/v2/repository/models/digits/load", credential);
      post(known.port(), "/" + RELOAD, "application/grpc-web", credential, framed(0, NO_MODELS));
    } finally {
      logger.detachAppender(written);
    }
    assertThat(refusals(written, "unload")).isBetween(1L, 45L);
    assertThat(refusals(written, "load")).isEqualTo(1);
    assertThat(refusals(written, "reload")).isEqualTo(1);
  }

  private static long refusals(ListAppender<ILoggingEvent> written, String operation) {
    return written.list.stream()
        .filter(line -> line.getLevel() == Level.WARN && line.getKeyValuePairs() != null)
        .map(line -> line.getKeyValuePairs().toString())
        .filter(pairs -> pairs.contains("operation=\"" + operation + "\""))
        .filter(pairs -> pairs.contains("identity=\"key:flood\"") && pairs.contains("listener="))
        .count();
  }

  private static void expectRefused(String request, String answer, List<String> wrong) {
    if (!answer.startsWith("HTTP/1.1 4") || answer.contains("internal error")) {
      wrong.add(request + ": " + answer);
    }
  }

  private static void expectNoStatusOfSuccess(String request, byte[] bytes, List<String> wrong) {
    String answer = new String(bytes, StandardCharsets.ISO_8859_1);
    int end = answer.indexOf("\r\n\r\n");
    String decoded = answer;
    if (end > 0 && answer.contains("grpc-web-text")) {
      decoded = answer.substring(0, end) + text(answer.substring(end));
    }
    if (decoded.matches("(?s).*grpc-status: ?0\\b.*") || answer.startsWith("HTTP/1.1 5")) {
      wrong.add(request + ": " + decoded);
    }
  }

  private static String text(String body) {
    return new String(Base64.getMimeDecoder().decode(body), StandardCharsets.ISO_8859_1);
  }

  private static String ask(String method, String target, String headers) throws IOException {
    return ask(server.port(), method, target, headers);
  }

  private static String ask(int port, String method, String target, String headers)
      throws IOException {
    String body = method.equals("POST") || method.equals("PUT") ? "{}" : "";
    String head =
        "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s"
            .formatted(method, target, headers, body.length(), body);
    return new String(
        send(port, head.getBytes(StandardCharsets.ISO_8859_1)), StandardCharsets.UTF_8);
  }

  private static byte[] post(int port, String target, String type, String headers, byte[] body)
      throws IOException {
    var request = new ByteArrayOutputStream();
    request.writeBytes(
        "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n"
            .formatted(target, type, headers, body.length)
            .getBytes(StandardCharsets.ISO_8859_1));
    request.writeBytes(body);
    return send(port, request.toByteArray());
  }

  private static byte[] send(int port, byte[] request) throws IOException {
    try (var socket = new Socket("localhost", port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write(request);
      return socket.getInputStream().readAllBytes();
    }
  }

  /** The status, and gRPC's from headers or trailers; or how the stream was reset. */
  private static String http2(String path, String type, Buffer body) throws Exception {
    var client =
        VERTX.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false));
    try {
      var to = new RequestOptions().setHost("localhost").setPort(server.port());
      return client
          .request(to.setMethod(HttpMethod.POST).setURI(path))
          .compose(request ->
              request
                  .putHeader("content-type", type)
                  .send(body)
                  .compose(response -> response.body().map(_ -> text(response))))
          .otherwise(failure -> "reset: " + failure.getMessage())
          .toCompletionStage()
          .toCompletableFuture()
          .get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } finally {
      client.close();
    }
  }

  private static String text(HttpClientResponse response) {
    return "status=%d grpc-status=%s grpc-status=%s"
        .formatted(
            response.statusCode(),
            response.getHeader("grpc-status"),
            response.getTrailer("grpc-status"));
  }

  private static byte[] framed(int compressed, byte[] message) {
    var frame = new ByteArrayOutputStream();
    frame.writeBytes(new byte[] {(byte) compressed, 0, 0, 0, (byte) message.length});
    frame.writeBytes(message);
    return frame.toByteArray();
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    var zipped = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(zipped)) {
      out.write(bytes);
    }
    return zipped.toByteArray();
  }
}
