package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.sluice.boot.cli.SluiceCommand;
import dev.sluice.boot.cli.StartFailure;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The manifests fit KServe's own schemas, and their arguments our command line. */
class KserveManifestTest {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Path MANIFESTS = Path.of("k8s");
  private static final Path SCHEMAS = Path.of("src/test/resources/kserve");
  private static final Pattern NAME = Pattern.compile("{{.Name}}", Pattern.LITERAL);

  @ParameterizedTest
  @CsvSource({
    "cluster-serving-runtime.yaml, clusterservingruntimes.yaml",
    "inference-service.yaml, inferenceservices.yaml"
  })
  void manifestsFitTheSchemasOfTheirKinds(String manifest, String schema) throws IOException {
    assertThat(mistakes(schema, manifest(manifest))).isEmpty();
  }

  @Test
  void unknownFieldsAndWrongTypesAreErrors() throws IOException {
    var runtime = (ObjectNode) manifest("cluster-serving-runtime.yaml");
    ((ObjectNode) runtime.path("spec")).put("protocolVersion", "v1").put("multiModel", "no");
    assertThat(mistakes("clusterservingruntimes.yaml", runtime))
        .hasSize(2)
        .anyMatch(text -> text.contains("protocolVersion"))
        .anyMatch(text -> text.contains("multiModel"));
  }

  @Test
  void theRuntimeOffersEveryProtocolOnOnePort() throws IOException {
    JsonNode spec = manifest("cluster-serving-runtime.yaml").path("spec");
    assertThat(spec.path("protocolVersions"))
        .extracting(JsonNode::asText)
        .containsExactly("v1", "v2", "grpc-v2");
    assertThat(spec.path("supportedModelFormats"))
        .extracting(format -> format.path("name").asText())
        .containsExactly("onnx", "tensorflow");
    assertThat(spec.path("containers")).hasSize(1);
    assertThat(container().path("ports")).hasSize(1);
  }

  @Test
  void itsArgumentsStartAServerOnThatPort() throws IOException {
    SluiceConfig config = started();
    ListenerConfig listener = config.listeners().getFirst();
    assertThat(config.listeners()).hasSize(1);
    assertThat(listener.host()).isEqualTo("0.0.0.0");
    assertThat(listener.port())
        .isEqualTo(container().path("ports").path(0).path("containerPort").asInt());
    assertThat(listener.protocols()).contains(Protocol.KSERVE, Protocol.OIP, Protocol.METRICS);
    assertThat(config.repository().wanted().listed())
        .isEqualTo(Map.of("digits", ListedModel.mounted(Path.of("/mnt/models"))));
  }

  @Test
  void probesAndMetricsAskThatPort() throws IOException {
    ListenerConfig listener = started().listeners().getFirst();
    for (String probe : List.of("readinessProbe", "livenessProbe")) {
      assertThat(container().path(probe).path("httpGet").path("port").asInt())
          .isEqualTo(listener.port());
    }
    JsonNode annotations =
        manifest("cluster-serving-runtime.yaml").path("spec").path("annotations");
    assertThat(annotations.path("prometheus.kserve.io/port").asInt()).isEqualTo(listener.port());
    assertThat(annotations.path("prometheus.kserve.io/path").asText())
        .isEqualTo(listener.metricsPath());
  }

  @Test
  void theServiceAsksForWhatTheRuntimeOffers() throws IOException {
    JsonNode runtime = manifest("cluster-serving-runtime.yaml");
    JsonNode model = manifest("inference-service.yaml").at("/spec/predictor/model");
    assertThat(model.path("runtime")).isEqualTo(runtime.at("/metadata/name"));
    assertThat(runtime.at("/spec/protocolVersions")).contains(model.path("protocolVersion"));
    assertThat(runtime.at("/spec/supportedModelFormats"))
        .extracting(format -> format.path("name"))
        .contains(model.at("/modelFormat/name"));
  }

  private static JsonNode manifest(String name) throws IOException {
    return YAML.readTree(MANIFESTS.resolve(name).toFile());
  }

  private static JsonNode container() throws IOException {
    return manifest("cluster-serving-runtime.yaml").at("/spec/containers/0");
  }

  /** What the command line makes of the container's arguments, with the service's name in place. */
  private static SluiceConfig started() throws IOException {
    List<SluiceConfig> started = new ArrayList<>();
    List<String> arguments = new ArrayList<>();
    container()
        .path("args")
        .forEach(argument -> arguments.add(NAME.matcher(argument.asText()).replaceAll("digits")));
    var command =
        SluiceCommand.commandLine(
            config -> {
              started.add(config);
              throw StartFailure.cannotListen("nowhere", new IOException("a test"));
            },
            Map.of());
    command.setErr(new PrintWriter(new StringWriter()));
    command.execute(arguments.toArray(String[]::new));
    return started.getFirst();
  }

  private static List<String> mistakes(String schema, JsonNode manifest) throws IOException {
    JsonNode read = YAML.readTree(SCHEMAS.resolve(schema).toFile());
    close(read);
    return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V4)
        .getSchema(read)
        .validate(manifest)
        .stream()
        .map(Object::toString)
        .toList();
  }

  /** Kubernetes drops a field that a schema does not name; here it is a mistake. */
  private static void close(JsonNode schema) {
    if (schema instanceof ObjectNode object
        && object.path("properties").isObject()
        && object.path("type").asText().equals("object")) {
      object.put("additionalProperties", false);
    }
    schema.forEach(KserveManifestTest::close);
  }
}
