package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.ListenerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
    "istio, 8080 15020 15090", // the server; the agent's health and merged metrics; Envoy's metrics
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
    "components/alerts/prometheus-rule.yaml, expr, 9",
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
