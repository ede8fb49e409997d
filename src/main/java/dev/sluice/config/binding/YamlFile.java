package dev.sluice.config.binding;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.file.Path;
import org.yaml.snakeyaml.LoaderOptions;

/** Reads a YAML file into a tree. Duplicate keys, aliases and a second document are refused. */
public final class YamlFile {
  /** Deeper than any setting lies. */
  private static final int DEEPEST = 32;

  private static final YAMLFactory FORMAT =
      YAMLFactory.builder()
          .loaderOptions(limits())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL)
          .build();

  private static final ObjectMapper TREES = new ObjectMapper(FORMAT);

  private YamlFile() {}

  private static LoaderOptions limits() {
    var options = new LoaderOptions();
    options.setNestingDepthLimit(DEEPEST);
    return options;
  }

  /**
   * Reads a file of settings. Blocks.
   *
   * @throws ConfigException if it cannot be read, or is no table of settings
   */
  public static ObjectNode read(Path file) {
    return parse(SettingsFile.read(file), file.toString());
  }

  /** Parses a text; an empty one is an empty tree. */
  static ObjectNode parse(String text, String name) {
    try {
      refuseAliases(text, name);
      return tree(text, name);
    } catch (JsonProcessingException e) {
      throw new ConfigException(name + line(e) + ": " + firstLine(e.getOriginalMessage()));
    } catch (IOException e) {
      throw new ConfigException(name + ": cannot be read: " + e.getMessage());
    }
  }

  /**
   * Aliases are how a small file becomes a huge tree, and no settings are long enough to need them.
   */
  private static void refuseAliases(String text, String name) throws IOException {
    try (YAMLParser parser = FORMAT.createParser(text)) {
      while (parser.nextToken() != null) {
        if (parser.isCurrentAlias()) {
          int line = parser.currentTokenLocation().getLineNr();
          String alias =
              ": the alias *" + parser.getText() + " is not followed; write the value out";
          throw new ConfigException(name + ": line " + line + alias);
        }
      }
    }
  }

  private static ObjectNode tree(String text, String name) throws IOException {
    try (YAMLParser documents = FORMAT.createParser(text)) {
      JsonNode first = TREES.readTree(documents);
      if (documents.nextToken() != null) {
        throw new ConfigException(name + ": holds more than one YAML document; wanted one");
      }
      return switch (first) {
        case null -> TREES.createObjectNode();
        case ObjectNode object -> object;
        case JsonNode other when other.isNull() || other.isMissingNode() ->
            TREES.createObjectNode();
        default -> throw new ConfigException(name + ": wanted settings, each as \"key: value\"");
      };
    }
  }

  private static String line(JsonProcessingException e) {
    return e.getLocation() == null ? "" : ": line " + e.getLocation().getLineNr();
  }

  private static String firstLine(String message) {
    return message.lines().findFirst().orElse("not YAML");
  }
}
