package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The manifests fit the schemas of their kinds, and their settings, ports and probes the server.
 */
class KubernetesManifestsTest {
  private static final String METRICS_PAGE = "src/docs/reference/metrics.md";
  private static final Pattern METRIC = Pattern.compile("(?:sluice|process|jvm)_\\w+");

  /** Those that stand for themselves: neither kustomizations nor patches of others. */
  static List<String> complete() throws IOException {
    Set<String> patches = patches();
    return Manifests.all().stream()
        .filter(path -> !path.endsWith("kustomization.yaml") && !patches.contains(path))
        .toList();
  }

  static List<String> kustomizations() throws IOException {
    return Manifests.all().stream().filter(path -> path.endsWith("kustomization.yaml")).toList();
  }

  private static Set<String> patches() throws IOException {
    Set<String> patches = new TreeSet<>();
    for (String path : kustomizations()) {
      for (JsonNode patch : Manifests.read(path).path("patches")) {
        patches.add(Path.of(path).resolveSibling(patch.path("path").asText()).toString());
      }
    }
    return patches;
  }

  @ParameterizedTest
  @MethodSource("complete")
  void manifestsFitThePublishedSchemasOfTheirKinds(String path) throws IOException {
    assertThat(Manifests.mistakes(Manifests.read(path))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "base/deployment.yaml",
        "components/keda/scaled-object.yaml",
        "overlays/istio/destination-rule.yaml",
        "overlays/linkerd/server.yaml",
        "overlays/inference-gateway/inference-pool.yaml",
        "overlays/inference-gateway/inference-objective.yaml",
        "overlays/inference-gateway/http-route.yaml"
      })
  void unknownFieldsAreMistakes(String path) throws IOException {
    JsonNode manifest = Manifests.read(path);
    ((ObjectNode) manifest.path("spec")).put("replica", 2);
    assertThat(Manifests.mistakes(manifest)).singleElement().asString().contains("replica");
  }

  @ParameterizedTest
  @MethodSource("kustomizations")
  void kustomizationsNameFilesThatAreThere(String path) throws IOException {
    JsonNode kustomization = Manifests.read(path);
    List<String> named = new ArrayList<>();
    kustomization.path("resources").forEach(file -> named.add(file.asText()));
    kustomization.path("components").forEach(file -> named.add(file.asText()));
    kustomization.path("patches").forEach(patch -> named.add(patch.path("path").asText()));
    kustomization
        .findValues("files")
        .forEach(files -> files.forEach(file -> named.add(file.asText())));
    assertThat(named)
        .isNotEmpty()
        .allSatisfy(file ->
            assertThat(Manifests.ROOT.resolve(path).resolveSibling(file).normalize()).exists());
  }

  @Test
  void patchesChangeWhatTheBaseHas() throws IOException {
    Set<String> base = new TreeSet<>();
    for (JsonNode file : Manifests.read("base/kustomization.yaml").path("resources")) {
      base.add(name(Manifests.read("base/" + file.asText())));
    }
    // For those who add the component that has it.
    base.add(name(Manifests.read("components/pod-monitor/pod-monitor.yaml")));
    for (String patch : patches()) {
      assertThat(base).contains(name(Manifests.read(patch)));
    }
  }

  private static String name(JsonNode manifest) {
    return name(manifest.path("kind"), manifest.at("/metadata/name"));
  }

  private static String name(JsonNode kind, JsonNode name) {
    return kind.asText() + " " + name.asText();
  }

  @ParameterizedTest
  @CsvSource({
    "base/deployment.yaml, /spec/template/spec/containers/0, base/sluice.yml",
    "overlays/sidecar/deployment.yaml, /spec/template/spec/initContainers/0,"
        + " overlays/sidecar/sluice.yml"
  })
  void theContainerStartsAServerOnThePortOfItsProbes(
      String deployment, String place, String settings) throws IOException {
    JsonNode manifest = Manifests.read(deployment);
    JsonNode container = manifest.at(place);
    SluiceConfig config = started(container, settings);
    int port = container.at("/ports/0/containerPort").asInt();
    assertThat(config.listeners()).extracting(ListenerConfig::port).contains(port);
    for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
      assertThat(container.path(probe).at("/httpGet/port"))
          .isEqualTo(container.at("/ports/0/name"));
    }
    Duration drain =
        config.process().shutdown().gracePeriod().plus(config.process().shutdown().drainTimeout());
    assertThat(manifest.at("/spec/template/spec/terminationGracePeriodSeconds").asLong())
        .isGreaterThanOrEqualTo(drain.plusSeconds(10).toSeconds());
  }

  /** With the file of the repository in place of the one that is mounted from it. */
  private static SluiceConfig started(JsonNode container, String settings) {
    List<String> arguments = new ArrayList<>();
    container.path("args").forEach(argument -> arguments.add(argument.asText()));
    arguments.replaceAll(argument ->
        argument.equals("/etc/sluice/sluice.yml")
            ? Manifests.ROOT.resolve(settings).toString()
            : argument);
    // The volume with models is not here.
    arguments.addAll(List.of("--models", "src/sample/models"));
    return Manifests.started(arguments);
  }

  @Test
  void theServiceNamesThePortOfTheContainer() throws IOException {
    JsonNode port =
        Manifests.read("base/deployment.yaml").at("/spec/template/spec/containers/0/ports/0");
    assertThat(Manifests.read("base/service.yaml").at("/spec/ports"))
        .hasSize(3)
        .allSatisfy(each -> assertThat(each.path("targetPort")).isEqualTo(port.path("name")));
    assertThat(Manifests.read("base/network-policy.yaml").at("/spec/ingress/0/ports/0/port"))
        .isEqualTo(port.path("containerPort"));
  }

  /** An apply would set back what an autoscaler has decided. */
  @ParameterizedTest
  @MethodSource("kustomizations")
  void serversAreCountedByAnAutoscalerAndByNothingElse(String path) throws IOException {
    assertThat(Manifests.read("base/deployment.yaml").at("/spec/replicas").isMissingNode())
        .isTrue();
    JsonNode kustomization = Manifests.read(path);
    List<String> resources = texts(kustomization.path("resources"));
    if (resources.contains("../../base")) {
      assertThat(texts(kustomization.path("components")))
          .filteredOn(component -> component.matches("\\.\\./\\.\\./components/(autoscaling|keda)"))
          .hasSize(1);
      assertThat(kustomization.has("replicas")).isFalse();
    }
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(each -> texts.add(each.asText()));
    return texts;
  }

  /** Istio makes one listener, with one protocol, of all ports that lead to one port of a pod. */
  @Test
  void inIstioEachPortOfTheServiceLeadsToAPortOfItsOwn() throws IOException {
    String overlay = "overlays/istio/";
    Map<String, Integer> containerPorts = new TreeMap<>();
    for (String file : List.of("base/deployment.yaml", overlay + "inject.yaml")) {
      for (JsonNode port : Manifests.read(file).at("/spec/template/spec/containers/0/ports")) {
        containerPorts.put(port.path("name").asText(), port.path("containerPort").asInt());
      }
    }
    Map<Integer, String> targets = new TreeMap<>();
    for (String file : List.of("base/service.yaml", overlay + "service.yaml")) {
      for (JsonNode port : Manifests.read(file).at("/spec/ports")) {
        targets.put(port.path("port").asInt(), port.path("targetPort").asText());
      }
    }
    JsonNode container =
        Manifests.read("base/deployment.yaml").at("/spec/template/spec/containers/0");
    List<ListenerConfig> listeners = started(container, overlay + "sluice.yml").listeners();
    assertThat(targets.values()).doesNotHaveDuplicates().hasSize(3);
    assertThat(listeners)
        .extracting(ListenerConfig::port)
        .containsExactlyElementsOf(targets.values().stream().map(containerPorts::get).toList());
    assertThat(listeners.getLast().protocols()).containsExactly(Protocol.BRPC);
  }

  @Test
  void istiosAgentReadsTheMetricsOfTheServer() throws IOException {
    String overlay = "overlays/istio/";
    JsonNode annotations =
        Manifests.read(overlay + "inject.yaml").at("/spec/template/metadata/annotations");
    JsonNode container =
        Manifests.read("base/deployment.yaml").at("/spec/template/spec/containers/0");
    ListenerConfig listener = started(container, overlay + "sluice.yml").listeners().getFirst();
    assertThat(annotations.path("prometheus.io/scrape").asText()).isEqualTo("true");
    assertThat(annotations.path("prometheus.io/port").asInt()).isEqualTo(listener.port());
    assertThat(annotations.path("prometheus.io/path").asText()).isEqualTo(listener.metricsPath());
    assertThat(listener.protocols()).contains(Protocol.METRICS);
    // What the schema wants besides, the component has.
    var monitor = (ObjectNode) Manifests.read(overlay + "pod-monitor.yaml");
    monitor
        .withObject("spec")
        .set(
            "selector",
            Manifests.read("components/pod-monitor/pod-monitor.yaml").at("/spec/selector"));
    assertThat(Manifests.mistakes(monitor)).isEmpty();
  }

  @Test
  void theGatewayReachesTheServersThroughThePool() throws IOException {
    String overlay = "overlays/inference-gateway/";
    JsonNode pods = Manifests.read("base/deployment.yaml").at("/spec/template");
    JsonNode pool = Manifests.read(overlay + "inference-pool.yaml");
    assertThat(pool.at("/spec/selector/matchLabels")).isEqualTo(pods.at("/metadata/labels"));
    assertThat(pool.at("/spec/targetPorts/0/number"))
        .isEqualTo(pods.at("/spec/containers/0/ports/0/containerPort"));
    JsonNode backend =
        Manifests.read(overlay + "http-route.yaml").at("/spec/rules/0/backendRefs/0");
    assertThat(name(backend.path("kind"), backend.path("name"))).isEqualTo(name(pool));
    assertThat(pool.path("apiVersion").asText()).startsWith(backend.path("group").asText() + "/");
    assertThat(Manifests.read(overlay + "inference-objective.yaml").at("/spec/poolRef/name"))
        .isEqualTo(pool.at("/metadata/name"));
  }

  /** The proxy asks the control plane of its mesh, wherever that is, and is scraped and probed. */
  @ParameterizedTest
  @CsvSource({
    // the server; the agent's health and merged metrics; Envoy's metrics
    "istio, 8080 8081 8082 15020 15090",
    "linkerd, 8080 4143 4191" // the server; the proxy's inbound port; its health and metrics
  })
  void networkPoliciesLeaveTheProxyOfAMeshItsConnections(String mesh, String ports)
      throws IOException {
    String overlay = "overlays/" + mesh + "/";
    assertThat(Manifests.read(overlay + "kustomization.yaml").path("patches"))
        .extracting(patch -> patch.path("path").asText())
        .contains("network-policy.yaml");
    JsonNode policy = Manifests.read(overlay + "network-policy.yaml");
    assertThat(name(policy)).isEqualTo(name(Manifests.read("base/network-policy.yaml")));
    assertThat(policy.at("/spec/policyTypes"))
        .extracting(JsonNode::asText)
        .containsExactly("Ingress");
    assertThat(policy.at("/spec/ingress/0/ports"))
        .extracting(port -> port.path("port").asText())
        .containsExactly(ports.split(" ", -1));
  }

  @ParameterizedTest
  @CsvSource({
    "components/keda/scaled-object.yaml, query, 1",
    "components/alerts/prometheus-rule.yaml, expr, 11",
    "components/grafana/sluice.json, expr, 40"
  })
  void queriesAskForMetricsThatThereAre(String path, String field, int queries) throws IOException {
    String page = Files.readString(Path.of(METRICS_PAGE));
    List<String> found = Manifests.read(path).findValuesAsText(field);
    assertThat(found).hasSize(queries).allSatisfy(query -> assertThat(names(query)).isNotEmpty());
    assertThat(found.stream().flatMap(query -> names(query).stream()))
        .allSatisfy(name -> assertThat(page).containsAnyOf("`" + name + "`", "`" + name + "{"));
  }

  private static List<String> names(String query) {
    return METRIC
        .matcher(query)
        .results()
        .map(name -> name.group().replaceFirst("_(bucket|count|sum)$", ""))
        .toList();
  }
}
