package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.Polling;
import dev.sluice.testing.Prometheus;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every query of Grafana's board finds something in a Prometheus that scrapes a real server. */
class GrafanaBoardIT {
  private static final Path BOARD = Path.of("k8s/components/grafana/sluice.json");
  private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.*), (\\w+)\\)");
  private static final Pattern VARIABLE = Pattern.compile("\\$(\\{?)(\\w+)}?");

  /** Columns of a board. */
  private static final int WIDTH = 24;

  private static JsonNode board;

  @TempDir private Path folder;

  @BeforeAll
  static void readTheBoard() throws Exception {
    board = new ObjectMapper().readTree(BOARD.toFile());
  }

  private static List<JsonNode> charts() {
    List<JsonNode> charts = new ArrayList<>();
    for (JsonNode panel : board.path("panels")) {
      if (!panel.path("type").asText().equals("row")) {
        charts.add(panel);
      }
    }
    return charts;
  }

  private static List<String> queries() {
    return charts().stream()
        .flatMap(chart -> chart.path("targets").findValuesAsText("expr").stream())
        .toList();
  }

  /** As Grafana asks where all servers and models are chosen. */
  private static String filled(String query) {
    return query
        .replace("$__rate_interval", "1m")
        .replace("$instance", ".*")
        .replace("$model", ".*");
  }

  @Test
  void everyQueryFindsSomethingInPrometheus() throws Exception {
    try (var server = RunningServer.start(models());
        var caller = new HttpCaller(server.port());
        var prometheus = Prometheus.start(folder, server.port())) {
      ask(caller);
      prometheus.await("sluice_stream_message_interval_seconds_count > 0");
      System.gc(); // One that the page, which was asked for, counts.
      ask(caller); // Rates are of what was counted between two scrapes.
      assertThat(queries()).hasSizeGreaterThan(30);
      for (String query : queries()) {
        prometheus.await(filled(query));
      }
      for (JsonNode variable : board.at("/templating/list")) {
        String query = variable.at("/query/query").asText();
        if (!query.isEmpty()) {
          var values = LABEL_VALUES.matcher(query);
          assertThat(values.matches()).as(query).isTrue();
          prometheus.await(
              "count by (%s) (%s)".formatted(values.group(2), filled(values.group(1))));
        }
      }
    }
  }

  /** Those of the samples, and one that cannot be loaded. */
  private Path models() throws IOException {
    Path models = folder.resolve("models");
    TestModels.copy(Path.of("src/sample/models"), models);
    Path broken = Files.createDirectories(models.resolve("broken/1"));
    Files.writeString(broken.resolve("model.onnx"), "no model");
    return models;
  }

  /** One that succeeds, one that fails and one that streams. */
  private static void ask(HttpCaller caller) {
    var predict = Buffer.buffer("{\"instances\": [1.0]}");
    assertThat(caller.send("POST", "/v1/models/half_plus_two:predict", predict).status())
        .isEqualTo(200);
    assertThat(caller.send("POST", "/v2/models/addsub/infer", Buffer.buffer("{}")).status())
        .isEqualTo(400);
    var text = Buffer.buffer("{\"text\": \"My dear Mr. \", \"temperature\": 0, \"steps\": 5}");
    assertThat(caller.send("POST", "/v2/models/writer/generate_stream", text).status())
        .isEqualTo(200);
    Polling.await(
        "stream is counted",
        () ->
            caller
                .send("GET", "/metrics", Buffer.buffer())
                .text()
                .contains("sluice_stream_message_interval_seconds_count{api="));
  }

  @Test
  void variablesOfQueriesAreThoseOfTheBoard() {
    Set<String> known = new HashSet<>(board.at("/templating/list").findValuesAsText("name"));
    known.add("__rate_interval");
    assertThat(queries())
        .allSatisfy(query ->
            assertThat(VARIABLE.matcher(query).results().map(found -> found.group(2)))
                .isNotEmpty()
                .isSubsetOf(known));
  }

  @Test
  void chartsSayWhatTheyShowInWhichUnit() {
    assertThat(charts())
        .allSatisfy(chart -> {
          assertThat(chart.path("title").asText()).isNotEmpty();
          assertThat(chart.path("description").asText()).endsWith(".");
          assertThat(chart.at("/fieldConfig/defaults/unit").asText()).isNotEmpty();
          assertThat(chart.at("/datasource/uid").asText()).isEqualTo("${datasource}");
        });
    assertThat(board.path("panels").findValuesAsText("id")).doesNotHaveDuplicates();
  }

  @Test
  void chartsLieSideBySide() {
    Set<Long> taken = new HashSet<>();
    for (JsonNode panel : board.path("panels")) {
      JsonNode place = panel.path("gridPos");
      int right = place.path("x").asInt() + place.path("w").asInt();
      assertThat(right).isLessThanOrEqualTo(WIDTH);
      for (int y = 0; y < place.path("h").asInt(); y++) {
        for (int x = place.path("x").asInt(); x < right; x++) {
          assertThat(taken.add((place.path("y").asInt() + y) * (long) WIDTH + x))
              .as(panel.path("title").asText())
              .isTrue();
        }
      }
    }
  }
}
