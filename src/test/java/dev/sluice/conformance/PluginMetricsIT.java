package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A plugin that counts its texts, seen through the page of metrics. */
@Timeout(60)
class PluginMetricsIT {
  private static final String COUNTED =
      """
      import dev.sluice.extension.*;
      import dev.sluice.tensor.*;
      import java.util.List;
      public class Counted implements Model {
        private Metrics metrics;
        public void open(Setup setup) { metrics = setup.metrics(); }
        public ModelSignature signature() {
          return ModelSignature.of(
              List.of(new TensorSpec("text", DataType.BYTES, Shape.of(Shape.ANY))),
              List.of(new TensorSpec("same", DataType.BYTES, Shape.of(Shape.ANY))));
        }
        public Answer run(Request request) {
          List<String> texts = request.input("text").texts();
          for (String text : texts) {
            metrics.counter("texts_total", "Texts.", "text", text).add(1);
          }
          return Answer.of(Value.texts("same", Shape.of(texts.size()), texts.toArray(new String[0])));
        }
      }
      """;

  @TempDir private Path models;

  @Test
  void whatThePluginCountsIsOnThePage() {
    new PluginJar()
        .source("Counted", COUNTED)
        .service("Model", "Counted")
        .into(models.resolve("counted/1"));
    try (var server = RunningServer.startWithPlugins(models);
        var http = new HttpCaller(server.port())) {
      assertThat(predict(http, "[\"to\",\"be\",\"to\"]").status()).isEqualTo(200);
      assertThat(metrics(http))
          .contains(
              "# TYPE plugin_texts_total counter\n",
              "plugin_texts_total{model=\"counted\",text=\"to\",version=\"1\"} 2.0\n",
              "plugin_texts_total{model=\"counted\",text=\"be\",version=\"1\"} 1.0\n",
              "sluice_plugin_series_refused_total 0.0\n");
      assertThat(predict(http, many()).status()).isEqualTo(200);
      assertThat(metrics(http)).contains("sluice_plugin_series_refused_total 1002.0\n");
    }
  }

  /** Twice as many texts as there may be series. */
  private static String many() {
    var texts = new StringBuilder("[\"0\"");
    for (int i = 1; i < 2_000; i++) {
      texts.append(",\"").append(i).append('"');
    }
    return texts.append(']').toString();
  }

  private static HttpCaller.Answer predict(HttpCaller http, String texts) {
    return http.send(
        "POST", "/v1/models/counted:predict", Buffer.buffer("{\"instances\":%s}".formatted(texts)));
  }

  private static String metrics(HttpCaller http) {
    return http.send("GET", "/metrics", Buffer.buffer()).text();
  }
}
