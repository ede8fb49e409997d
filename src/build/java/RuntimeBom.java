import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** Adds the Java run-time in a distribution's folder {@code java} to its bill of materials. */
final class RuntimeBom {
  private static final String NAME = "openjdk";

  private RuntimeBom() {}

  public static void main(String[] args) throws IOException {
    Path distribution = Path.of(args[0]);
    var release = new Properties();
    try (Reader reader = Files.newBufferedReader(distribution.resolve("java/release"))) {
      release.load(reader);
    }
    Path file = distribution.resolve("sbom.json");
    var json = new ObjectMapper();
    var bom = (ObjectNode) json.readTree(Files.readAllBytes(file));
    ArrayNode components = bom.withArrayProperty("components");
    for (int i = components.size() - 1; i >= 0; i--) {
      if (components.get(i).path("name").asText().equals(NAME)) {
        components.remove(i);
      }
    }
    add(components.addObject(), release.getProperty("JAVA_VERSION").replace("\"", ""));
    json.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), bom);
  }

  private static void add(ObjectNode component, String version) {
    String purl = "pkg:generic/" + NAME + "@" + version;
    component
        .put("type", "platform")
        .put("bom-ref", purl)
        .put("name", NAME)
        .put("version", version)
        .put("scope", "required")
        .put("purl", purl);
    component
        .putArray("licenses")
        .addObject()
        .put("expression", "GPL-2.0-only WITH Classpath-exception-2.0");
  }
}
