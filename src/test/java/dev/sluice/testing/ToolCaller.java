package dev.sluice.testing;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.text.HuggingFaceTokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Writes models that answer each conversation with the same text, in which there may be tool calls.
 * {@code [TOOL_CALLS]} is a special token of their tokenizers.
 */
public final class ToolCaller {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int END = 323;
  private static final int MARKER = 324;

  private ToolCaller() {}

  /**
   * Writes a model.
   *
   * @param template a Jinja template, which shows the form of its calls
   * @param said what it answers
   */
  public static void write(Path models, String name, String template, String said)
      throws IOException {
    Path tokenizer = Files.createTempFile("tokenizer", ".json");
    Files.write(tokenizer, JSON.writeValueAsBytes(tokenizer()));
    long[] ids = HuggingFaceTokenizer.read(tokenizer, true).encode(said);
    // Without the token that begins a prompt, with the one that ends an answer.
    long[] tokens = Arrays.copyOfRange(ids, 1, ids.length + 1);
    tokens[tokens.length - 1] = END;
    Path folder =
        StepModels.recital(
            models,
            name,
            MARKER + 1,
            tokens,
            """
            stop: { tokens: [323], steps: 500 }
              text: { tokenizer: tokenizer.json, context: 2000 }\
            """);
    Files.move(tokenizer, folder.resolve("tokenizer.json"));
    Files.writeString(folder.resolve("chat_template.jinja"), template);
  }

  private static ObjectNode tokenizer() throws IOException {
    var json = (ObjectNode) JSON.readTree(Files.readAllBytes(Poet.TOKENIZER));
    json.withArray("added_tokens")
        .addObject()
        .put("id", MARKER)
        .put("content", "[TOOL_CALLS]")
        .put("single_word", false)
        .put("lstrip", false)
        .put("rstrip", false)
        .put("normalized", false)
        .put("special", true);
    return json;
  }
}
