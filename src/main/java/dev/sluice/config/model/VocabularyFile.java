package dev.sluice.config.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.FileProblem;
import dev.sluice.config.binding.Units;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a vocabulary: a JSON list of texts, each of which stands for its place. Blocks.
 *
 * <p>Errors are {@code ConfigException}s at load time, not at the first request. The place of a
 * text is its token id, counted from 0.
 */
public final class VocabularyFile {
  private static final long LARGEST = 64L * 1024 * 1024;
  private static final JsonMapper JSON = new JsonMapper();

  private VocabularyFile() {}

  /**
   * Returns the texts, in their order.
   *
   * @throws ConfigException if the file cannot be read or is something else
   */
  public static List<String> read(Path file) {
    try {
      if (Files.size(file) > LARGEST) {
        throw new ConfigException(file + " is larger than " + Units.show(LARGEST));
      }
      return texts(JSON.readTree(Files.readAllBytes(file)), file);
    } catch (IOException e) {
      throw new ConfigException(file + " " + FileProblem.of(e));
    }
  }

  private static List<String> texts(JsonNode list, Path file) {
    if (!list.isArray() || list.isEmpty()) {
      throw new ConfigException(file + " is no JSON list of texts");
    }
    List<String> texts = new ArrayList<>(list.size());
    for (JsonNode text : list) {
      if (!text.isTextual()) {
        throw new ConfigException(
            file + ": entry " + texts.size() + " is " + text + "; wanted a text");
      }
      texts.add(text.textValue());
    }
    return texts;
  }
}
