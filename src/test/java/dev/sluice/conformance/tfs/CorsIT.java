package dev.sluice.conformance.tfs;

import static io.restassured.RestAssured.given;
import static io.restassured.config.EncoderConfig.encoderConfig;
import static org.hamcrest.Matchers.containsString;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.ConformanceCase;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.restassured.RestAssured;
import io.restassured.config.RestAssuredConfig;
import io.restassured.http.ContentType;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A listener that lets pages from other origins ask. */
class CorsIT {
  private static final RestAssuredConfig PLAIN =
      RestAssured.config()
          .encoderConfig(
              encoderConfig()
                  .appendDefaultContentCharsetToContentTypeIfUndefined(false)
                  .encodeContentTypeAs("application/grpc-web+proto", ContentType.BINARY));

  private static RunningServer server;
  private static HttpCaller caller;

  @BeforeAll
  static void start() {
    server = RunningServer.start(config());
    caller = new HttpCaller(server.port());
  }

  private static SluiceConfig config() {
    ListenerConfig listener = ListenerConfig.DEFAULT;
    return RunningServer.settings(
        new ListenerConfig(
            listener.host(),
            0,
            listener.protocols(),
            listener.v1(),
            listener.metricsPath(),
            listener.control(),
            true,
            listener.tls()),
        RepositoryConfig.of(
            new DesiredModels(
                TestModels.tabular(),
                Map.of(
                    "half_plus_two", ListedModel.in(TestModels.savedModel("half_plus_two", "")))),
            Duration.ZERO));
  }

  @AfterAll
  static void stop() {
    caller.close();
    server.close();
  }

  static Stream<ConformanceCase> cases() {
    return ConformanceCase.of("tfs/cors").stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void answersPages(ConformanceCase each) {
    each.replay(caller);
  }

  @Test
  void aPageMayCallByGrpcWeb() {
    String predict = server.url() + "/tensorflow.serving.PredictionService/Predict";
    given()
        .header("Origin", "https://page.example")
        .header("Access-Control-Request-Method", "POST")
        .options(predict)
        .then()
        .statusCode(204)
        .header("Access-Control-Allow-Origin", "*")
        .header("Access-Control-Allow-Headers", containsString("x-grpc-web"));
    given()
        .config(PLAIN)
        .header("Origin", "https://page.example")
        .contentType("application/grpc-web+proto")
        .body(new byte[] {0, 0, 0, 0, 0})
        .post(predict)
        .then()
        .statusCode(200)
        .header("Access-Control-Allow-Origin", "*")
        .header("Access-Control-Expose-Headers", containsString("grpc-status"));
  }
}
