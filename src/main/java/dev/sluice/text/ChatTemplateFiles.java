package dev.sluice.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.binding.FileProblem;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.text.jinja.ChatTemplate;
import dev.sluice.text.jinja.value.TemplateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Files in which models come with a chat template.
 *
 * @param folder in which they are
 */
record ChatTemplateFiles(Path folder) {
  private static final List<String> TOKENS =
      List.of("bos_token", "eos_token", "pad_token", "unk_token");
  private static final String DEFAULT = "default";
  private static final String TOOL_USE = "tool_use";
  private static final long LARGEST = 4L * 1024 * 1024;

  /**
   * Returns the source of the template; empty if there is none.
   *
   * @throws TemplateException if it is too large
   */
  String source() {
    Path own = folder.resolve("chat_template.jinja");
    return Files.isRegularFile(own) ? text(own) : template(DEFAULT);
  }

  /**
   * Returns the source of the template for conversations with tools; empty if they have none of
   * their own.
   *
   * @throws TemplateException if it is too large
   */
  String toolSource() {
    Path own = folder.resolve("additional_chat_templates").resolve(TOOL_USE + ".jinja");
    return Files.isRegularFile(own) ? text(own) : template(TOOL_USE);
  }

  /**
   * Returns the template of a source.
   *
   * @throws TemplateException if it is wrong
   */
  ChatTemplate parse(String source) {
    return ChatTemplate.parse(source, tokens(settings()));
  }

  private JsonNode settings() {
    Path config = folder.resolve("tokenizer_config.json");
    return Files.isRegularFile(config) ? JsonFile.object(config) : JsonFile.nothing();
  }

  private static String text(Path file) {
    try {
      if (Files.size(file) > LARGEST) {
        throw new TemplateException(file + " is larger than " + LARGEST + " bytes");
      }
      return Files.readString(file);
    } catch (IOException e) {
      throw new InferenceException(ErrorCode.INVALID_ARGUMENT, file + " " + FileProblem.of(e));
    }
  }

  /** Returns one of several templates; one that is alone is for general use. */
  private String template(String name) {
    JsonNode templates = settings().path("chat_template");
    for (JsonNode each : templates.isArray() ? templates : JsonFile.nothing()) {
      if (each.path("name").asText().equals(name)) {
        return each.path("template").asText();
      }
    }
    return name.equals(DEFAULT) ? templates.asText() : "";
  }

  /** Returns the texts of tokens that templates know by name. */
  private static Map<String, String> tokens(JsonNode settings) {
    Map<String, String> tokens = new HashMap<>();
    for (String name : TOKENS) {
      JsonNode token = settings.path(name);
      String text = token.isObject() ? token.path("content").asText() : token.asText();
      if (token.isTextual() || token.isObject()) {
        tokens.put(name, text);
      }
    }
    return tokens;
  }
}
