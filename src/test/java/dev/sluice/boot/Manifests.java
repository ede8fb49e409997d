package dev.sluice.boot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.sluice.boot.cli.SluiceCommand;
import dev.sluice.boot.cli.StartFailure;
import dev.sluice.config.SluiceConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The manifests of the folder k8s, and the published schemas of their kinds: those of Kubernetes
 * 1.37 and of the custom resources of KServe, KEDA, the Prometheus operator, Istio, Linkerd, the
 * Gateway API 1.4 and its inference extension 1.3.
 */
final class Manifests {
  static final Path ROOT = Path.of("k8s");

  private static final YAMLMapper YAML = new YAMLMapper();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SCHEMAS = Path.of("src/test/resources/kubernetes");
  private static final Path KSERVE = Path.of("src/test/resources/kserve");

  private Manifests() {}

  static JsonNode read(String path) throws IOException {
    return YAML.readTree(ROOT.resolve(path).toFile());
  }

  /** Returns the paths of all YAML files with a kind, from the folder k8s on. */
  static List<String> all() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .map(file -> ROOT.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  /** Returns what the schema of its kind finds wrong with a manifest. */
  static List<String> mistakes(JsonNode manifest) throws IOException {
    JsonNode schema = schema(manifest.path("kind").asText());
    close(schema);
    return JsonSchemaFactory.getInstance(VersionFlag.V4)
        .getSchema(schema)
        .validate(manifest)
        .stream()
        .map(Object::toString)
        .toList();
  }

  private static JsonNode schema(String kind) throws IOException {
    Path kserve = KSERVE.resolve(kind.toLowerCase(Locale.ROOT) + "s.yaml");
    if (Files.exists(kserve)) {
      return YAML.readTree(kserve.toFile());
    }
    Path custom = SCHEMAS.resolve(kind + ".json");
    if (Files.exists(custom)) {
      return withHead((ObjectNode) JSON.readTree(custom.toFile()));
    }
    var bundle = (ObjectNode) JSON.readTree(SCHEMAS.resolve("kubernetes.json").toFile());
    String known = bundle.path("kinds").path(kind).asText();
    if (known.isEmpty()) {
      throw new IllegalArgumentException("there is no schema of the kind " + kind);
    }
    return bundle.put("$ref", "#/definitions/" + known);
  }

  /** Some schemas of custom resources leave out what every resource has. */
  private static JsonNode withHead(ObjectNode schema) {
    ObjectNode properties = schema.withObject("properties");
    for (String name : List.of("apiVersion", "kind", "metadata")) {
      if (!properties.has(name)) {
        properties.putObject(name);
      }
    }
    return schema;
  }

  /** Kubernetes drops a field that a schema does not name; here it is a mistake. */
  private static void close(JsonNode schema) {
    if (schema instanceof ObjectNode object
        && object.path("properties").isObject()
        && object.path("type").asText().equals("object")) {
      object.put("additionalProperties", false);
    }
    schema.forEach(Manifests::close);
  }

  /** Returns what the command line makes of the arguments of a container. */
  static SluiceConfig started(List<String> arguments) {
    List<SluiceConfig> started = new ArrayList<>();
    var errors = new StringWriter();
    var command =
        SluiceCommand.commandLine(
            config -> {
              started.add(config);
              throw StartFailure.cannotListen("nowhere", new IOException("a test"));
            },
            Map.of());
    command.setErr(new PrintWriter(errors));
    command.execute(arguments.toArray(String[]::new));
    if (started.isEmpty()) {
      throw new AssertionError(errors);
    }
    return started.getFirst();
  }
}
