package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.StartupConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The manifests fit KServe's own schemas, and their arguments our command line. */
class KserveManifestTest {
  private static final Pattern NAME = Pattern.compile("{{.Name}}", Pattern.LITERAL);

  @Test
  void unknownFieldsAndWrongTypesAreErrors() throws IOException {
    var runtime = (ObjectNode) manifest("cluster-serving-runtime.yaml");
    ((ObjectNode) runtime.path("spec")).put("protocolVersion", "v1").put("multiModel", "no");
    assertThat(Manifests.mistakes(runtime))
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
  void aColdStartIsShortUnlessTheServiceWantsToWarmUp() throws IOException {
    assertThat(started().process().startup().warmUp()).isZero();
    assertThat(started("--set=startup.warm_up=30s").process().startup().warmUp())
        .isEqualTo(StartupConfig.DEFAULT.warmUp());
    assertThat(container().at("/resources/limits").has("cpu")).isFalse();
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
    return Manifests.read("kserve/" + name);
  }

  private static JsonNode container() throws IOException {
    return manifest("cluster-serving-runtime.yaml").at("/spec/containers/0");
  }

  /**
   * What the command line makes of the container's arguments, with the service's name and own ones.
   */
  private static SluiceConfig started(String... more) throws IOException {
    List<String> arguments = new ArrayList<>();
    container()
        .path("args")
        .forEach(argument -> arguments.add(NAME.matcher(argument.asText()).replaceAll("digits")));
    arguments.addAll(List.of(more));
    return Manifests.started(arguments);
  }
}
