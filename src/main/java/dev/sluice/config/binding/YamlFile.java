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
import org.yaml.snakeyaml.error.MarkedYAMLException;

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
      throw new ConfigException(name + reason(e));
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

  /** Says where and what is wrong: of what the parser tells, the place where it stopped. */
  private static String reason(JsonProcessingException e) {
    if (e.getCause() instanceof MarkedYAMLException marked && marked.getProblemMark() != null) {
      return ": line " + (marked.getProblemMark().getLine() + 1) + ": " + problem(marked);
    }
    String line = e.getLocation() == null ? "" : ": line " + e.getLocation().getLineNr();
    return line + ": " + e.getOriginalMessage().lines().findFirst().orElse("not YAML");
  }

  private static String problem(MarkedYAMLException marked) {
    String problem = marked.getProblem() == null ? "not YAML" : marked.getProblem();
    if (problem.contains("(TAB)")) {
      return "a tab where there may be none; indent with spaces";
    }
    // The parser warns of any character as of a tab.
    String shorter = problem.replaceFirst("\\. \\(Do not use .*", "");
    return marked.getContext() == null ? shorter : marked.getContext() + ": " + shorter;
  }
}
