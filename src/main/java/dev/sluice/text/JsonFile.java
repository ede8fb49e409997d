package dev.sluice.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.config.binding.FileProblem;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of a tokenizer that hold a JSON object. */
final class JsonFile {
  private static final long LARGEST = 256L * 1024 * 1024;
  private static final JsonMapper JSON = new JsonMapper();

  private JsonFile() {}

  /**
   * Returns what a file holds. Blocks.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is no JSON object, or too large
   */
  static ObjectNode object(Path file) {
    try {
      if (Files.size(file) > LARGEST) {
        throw invalid(file, "is larger than " + LARGEST + " bytes");
      }
      JsonNode json = JSON.readTree(Files.readAllBytes(file));
      if (json instanceof ObjectNode object) {
        return object;
      }
      throw invalid(file, "is no JSON object");
    } catch (IOException e) {
      throw invalid(file, FileProblem.of(e));
    }
  }

  /** Returns what a file holds that is not there. */
  static ObjectNode nothing() {
    return JsonNodeFactory.instance.objectNode();
  }

  private static InferenceException invalid(Path file, String what) {
    return new InferenceException(ErrorCode.INVALID_ARGUMENT, file + " " + what);
  }
}
