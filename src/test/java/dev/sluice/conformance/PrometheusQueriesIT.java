package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.Prometheus;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What alerts and scaling ask a Prometheus, which scrapes a real server with a broken model. */
class PrometheusQueriesIT {
  private static final Path COMPONENTS = Path.of("k8s/components");

  @TempDir private Path folder;
  private RunningServer server;
  private HttpCaller caller;
  private Prometheus prometheus;

  @BeforeEach
  void start() throws Exception {
    Path models = folder.resolve("models");
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    Path broken = Files.createDirectories(models.resolve("broken/7"));
    Files.writeString(broken.resolve("model.onnx"), "no model");
    server = RunningServer.start(models);
    caller = new HttpCaller(server.port());
    prometheus = Prometheus.start(folder, server.port());
    prometheus.await("sluice_ready");
  }

  @AfterEach
  void stop() {
    prometheus.close();
    caller.close();
    server.close();
  }

  private static JsonNode read(String path) throws IOException {
    return new YAMLMapper().readTree(COMPONENTS.resolve(path).toFile());
  }

  /** With another name of the job, and over a time that a test can wait for. */
  private static String scaling(String job) throws IOException {
    return read("keda/scaled-object.yaml")
        .at("/spec/triggers/0/metadata/query")
        .asText()
        .replace("default/sluice", job)
        .replace("[1m]", "[3s]");
  }

  @Test
  void serversThatNobodyAsksAreScaledByZeroAndOthersByTheTimeOfWaiting() throws Exception {
    String query = scaling("sluice");
    prometheus.await("(" + query + ") == 0");
    var row = Buffer.buffer("{\"instances\": [1.0]}");
    assertThat(caller.send("POST", "/v1/models/half_plus_two:predict", row).status())
        .isEqualTo(200);
    prometheus.await("sluice_queue_seconds_count == 1");
    assertThat(caller.send("POST", "/v1/models/half_plus_two:predict", row).status())
        .isEqualTo(200);

    prometheus.await("(" + query + ") > 0");
    prometheus.await("(" + query + ") == 0");
  }

  @Test
  void scalingLearnsNothingWhereNoServerIsScraped() throws Exception {
    assertThat(prometheus.query(scaling("another"))).isEmpty();
  }

  @Test
  void alertsCanBeAskedAndOneNamesTheVersionThatDoesNotLoad() throws Exception {
    JsonNode alerts = read("alerts/prometheus-rule.yaml");
    assertThat(alerts.findValuesAsText("alert")).contains("SluiceModelFailed");
    for (JsonNode rule : alerts.at("/spec/groups/0/rules")) {
      String query = rule.path("expr").asText();
      prometheus.query(query);
      if (rule.path("alert").asText().equals("SluiceModelFailed")) {
        prometheus.await(query);
        assertThat(prometheus.query(query).encode()).contains("broken").contains("\"7\"");
      }
    }
  }

  @Test
  void rulesOfTheAlertsPassPrometheusOwnCheck() throws Exception {
    JsonNode rules = read("alerts/prometheus-rule.yaml").path("spec");
    Path file = Files.writeString(folder.resolve("rules.yml"), rules.toString());
    assertThat(Prometheus.accepts(file)).isTrue();
  }

  @Test
  void anAlertTellsOfAServerThatIsGone() throws Exception {
    String query = read("alerts/prometheus-rule.yaml").at("/spec/groups/0/rules/0/expr").asText();
    prometheus.await("sluice_ready");
    assertThat(prometheus.query(query)).isEmpty();
    server.close();

    prometheus.await(query);
  }
}
