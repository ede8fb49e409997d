import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Completes a distribution: collects the licence and notice texts of all that it ships, and adds
 * its native libraries to the bill of materials. Fails if something has no text, or is not in the
 * bill.
 */
final class Shipment {
  private static final Pattern TEXT =
      Pattern.compile("(?i)(licen[sc]e|notice|copying|thirdparty)[^/]*");

  private static final String USAGE =
      "wanted: distribution licences LICENSE folder=group:artifact:version:licence,...";

  private final Path distribution;
  private final Path licences;
  private final Path own;
  private final Properties sources = new Properties();
  private final List<String> without = new ArrayList<>();
  private final List<String> unlisted = new ArrayList<>();

  private Shipment(Path distribution, Path licences, Path own) throws IOException {
    this.distribution = distribution;
    this.licences = licences;
    this.own = own;
    try (Reader reader = Files.newBufferedReader(licences.resolve("sources.properties"))) {
      sources.load(reader);
    }
  }

  public static void main(String[] args) throws IOException {
    if (args.length != 4) {
      throw new IllegalArgumentException(USAGE);
    }
    var shipment = new Shipment(Path.of(args[0]), Path.of(args[1]), Path.of(args[2]));
    shipment.collectTexts();
    shipment.addNatives(List.of(args[3].split(",")));
    if (!shipment.without.isEmpty()) {
      throw new IllegalStateException("no licence text for " + shipment.without);
    }
    if (!shipment.unlisted.isEmpty()) {
      throw new IllegalStateException("not in the bill of materials: " + shipment.unlisted);
    }
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private void collectTexts() throws IOException {
    Path lib = distribution.resolve("lib");
    for (Path jar : list(lib)) {
      String name = jar.getFileName().toString();
      if (name.endsWith(".jar")) {
        Path folder = folder(name.substring(0, name.length() - ".jar".length()));
        try (FileSystem inside = FileSystems.newFileSystem(jar)) {
          for (String root : List.of("/", "/META-INF", "/META-INF/license")) {
            copyTexts(inside.getPath(root), folder);
          }
        }
        finish(name, folder);
      }
    }
    for (Path natives : list(lib.resolve("native"))) {
      String name = "native/" + natives.getFileName();
      if (!natives.getFileName().toString().startsWith(".")) {
        Path folder = folder(natives.getFileName().toString());
        copyTexts(natives, folder);
        finish(name, folder);
      }
    }
  }

  private Path folder(String name) throws IOException {
    return Files.createDirectories(distribution.resolve("licences").resolve(name));
  }

  private static void copyTexts(Path from, Path to) throws IOException {
    if (!Files.isDirectory(from)) {
      return;
    }
    for (Path file : list(from)) {
      String name = file.getFileName().toString();
      if (TEXT.matcher(name).matches() && Files.isRegularFile(file)) {
        copy(file, to.resolve(name));
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Adds the texts that lie in the sources. */
  private void finish(String name, Path folder) throws IOException {
    for (String prefix : sources.stringPropertyNames()) {
      if (name.startsWith(prefix)) {
        for (String file : sources.getProperty(prefix).split(" ")) {
          Path text = file.equals("LICENSE") ? own : licences.resolve(file);
          if (Files.isDirectory(text)) {
            copyTexts(text, folder);
          } else {
            copy(text, folder.resolve(text.getFileName()));
          }
        }
      }
    }
    if (list(folder).isEmpty()) {
      without.add(name);
    }
  }

  /** Each is the folder of native libraries, and whose they are. */
  private void addNatives(List<String> natives) throws IOException {
    var json = new ObjectMapper();
    Path file = distribution.resolve("sbom.json");
    var bom = (ObjectNode) json.readTree(Files.readAllBytes(file));
    ArrayNode components = bom.withArrayProperty("components");
    requireListed(bom.at("/metadata/component"), components);
    for (JsonNode component : components) {
      noteChange((ObjectNode) component);
    }
    for (String described : natives) {
      String[] parts = described.split("[=:]");
      for (Path library : list(distribution.resolve("lib/native").resolve(parts[0]))) {
        if (!TEXT.matcher(library.getFileName().toString()).matches()) {
          add(components.addObject(), library, parts);
        }
      }
    }
    json.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), bom);
  }

  /** Finds each jar by the name that Maven makes of an artifact, its version and classifier. */
  private void requireListed(JsonNode own, ArrayNode components) throws IOException {
    List<String> listed = new ArrayList<>(List.of(artifact(own)));
    components.forEach(component -> listed.add(artifact(component)));
    for (Path jar : list(distribution.resolve("lib"))) {
      String name = jar.getFileName().toString();
      boolean found =
          listed.stream()
              .anyMatch(known -> name.equals(known + ".jar") || name.startsWith(known + "-"));
      if (name.endsWith(".jar") && !found) {
        unlisted.add(name);
      }
    }
  }

  /** A jar that is not as it was published has the hash of what is shipped, and says so. */
  private void noteChange(ObjectNode component) throws IOException {
    Path jar = distribution.resolve("lib").resolve(artifact(component) + ".jar");
    if (!Files.exists(jar)) {
      return;
    }
    try (FileSystem inside = FileSystems.newFileSystem(jar)) {
      Path notice = inside.getPath("META-INF/NOTICE.sluice");
      if (Files.exists(notice)) {
        component.putArray("hashes").addObject().put("alg", "SHA-256").put("content", hash(jar));
        component.putObject("pedigree").put("notes", Files.readString(notice).strip());
      }
    }
  }

  private static String artifact(JsonNode component) {
    return component.path("name").asText() + "-" + component.path("version").asText();
  }

  private static void add(ObjectNode component, Path library, String[] parts) throws IOException {
    String purl = "pkg:maven/%s/%s@%s".formatted(parts[1], parts[2], parts[3]);
    component
        .put("type", "library")
        .put("bom-ref", purl + "#" + library.getFileName())
        .put("group", parts[1])
        .put("name", library.getFileName().toString())
        .put("version", parts[3])
        .put("scope", "required")
        .put("purl", purl + "#" + library.getFileName());
    component.putArray("hashes").addObject().put("alg", "SHA-256").put("content", hash(library));
    component.putArray("licenses").addObject().putObject("license").put("id", parts[4]);
  }

  private static String hash(Path file) throws IOException {
    try (var bytes = Files.newInputStream(file)) {
      var digest = MessageDigest.getInstance("SHA-256");
      byte[] buffer = new byte[1 << 16];
      for (int read = bytes.read(buffer); read >= 0; read = bytes.read(buffer)) {
        digest.update(buffer, 0, read);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK knows SHA-256", e);
    }
  }
}
