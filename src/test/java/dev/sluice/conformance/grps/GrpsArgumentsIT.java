package dev.sluice.conformance.grps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The {@code inferer_args} and {@code converter_args} of a deployment, which reach its code. */
class GrpsArgumentsIT {
  /** Says its settings, sorted. */
  private static final String SPEAKER =
      """
      import dev.sluice.extension.*;
      import java.util.*;

      public class Speaker implements Model {
        private String settings;

        @Override
        public void open(Setup setup) {
          settings = new TreeMap<>(setup.settings()).toString();
        }

        @Override
        public ModelSignature signature() {
          return ModelSignature.OPEN;
        }

        @Override
        public Answer run(Request request) {
          return Answer.of(Value.text("", settings)).with("grps.data", "str_data");
        }
      }
      """;

  /** Multiplies what goes to the model. */
  private static final String SCALE =
      """
      import dev.sluice.extension.*;
      import dev.sluice.tensor.*;
      import java.util.*;

      public class Scale implements Converter {
        private float factor;

        @Override
        public void open(Setup setup) {
          factor = Float.parseFloat(setup.settings().get("factor"));
        }

        @Override
        public List<Value> before(Request request) {
          float[] values = request.input("x").floats();
          for (int i = 0; i < values.length; i++) {
            values[i] *= factor;
          }
          return List.of(Value.floats("x", Shape.of(values.length), values));
        }
      }
      """;

  @TempDir Path folder;
  private RunningServer server;
  private HttpCaller http;

  @BeforeEach
  void serve() throws IOException {
    new PluginJar()
        .source("Speaker", SPEAKER)
        .service("Model", "Speaker")
        .into(folder.resolve("data/speaker"));
    Path scaled = folder.resolve("data/scaled");
    TestModels.copy(Path.of("src/sample/models/half_plus_two/1"), scaled);
    new PluginJar().source("Scale", SCALE).service("Converter", "Scale").into(scaled);
    Path conf = Files.createDirectory(folder.resolve("conf"));
    Files.writeString(
        conf.resolve("server.yml"),
        """
        interface: {framework: http, host: 127.0.0.1, port: 7080}
        max_connections: 1000
        max_concurrency: 32
        """);
    Files.writeString(
        conf.resolve("inference.yml"),
        """
        models:
          - {name: first, version: 1.0.0, inferer_type: customized, inferer_path: data/speaker,
             inferer_args: {greeting: Hello, sizes: [1, 2]}, converter_type: none}
          - {name: second, version: 1.0.0, inferer_type: customized, inferer_path: data/speaker,
             inferer_args: {greeting: Good bye}, converter_type: none}
          - {name: plain, version: 1.0.0, inferer_type: customized, inferer_path: data/speaker,
             inferer_args: , converter_type: none}
          - {name: scaled, version: 1.0.0, inferer_type: tensorflow, inferer_path: data/scaled,
             converter_type: customized, converter_args: {factor: 10}}
        dag: {type: sequential, name: dag, nodes: [{name: n, type: model, model: first-1.0.0}]}
        """);
    server =
        RunningServer.start(
            new SluiceConfigReader(_ -> {})
                .read(
                    Optional.empty(),
                    Map.of(),
                    List.of(
                        new SettingOverride("grps.deployment", folder.toString(), "--grps"),
                        new SettingOverride("listeners", "localhost:0", "--listen"))));
    http = new HttpCaller(server.port());
  }

  @AfterEach
  void stop() {
    http.close();
    server.close();
  }

  private String predict(String model, String body) {
    return http.post("/grps/v1/infer/predict?model=" + model, body).text();
  }

  @Test
  void modelsOfOneJarAreGivenTheArgumentsOfEach() {
    assertThat(predict("first-1.0.0", "{\"str_data\": \"\"}"))
        .contains("{greeting=Hello, sizes=[1,2]}");
    assertThat(predict("second-1.0.0", "{\"str_data\": \"\"}")).contains("{greeting=Good bye}");
    assertThat(predict("plain-1.0.0", "{\"str_data\": \"\"}")).contains("\"{}\"");
  }

  @Test
  void aConverterIsGivenItsOwnArguments() {
    assertThat(predict("scaled-1.0.0", "{\"ndarray\": [1, 2]}"))
        .contains("\"flat_float32\":[7.0,12.0]");
  }
}
