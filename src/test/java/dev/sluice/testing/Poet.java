package dev.sluice.testing;

import dev.sluice.text.HuggingFaceTokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** A model of text that answers each prompt with the same words, by a {@code tokenizer.json}. */
public final class Poet {
  /** Its tokenizer. */
  public static final Path TOKENIZER = Path.of("src/test/resources/text/tokenizer.json");

  /** What it says. */
  public static final String SAID = "Hello, 世界 🙂! The end of it.";

  private static final int VOCABULARY = 324;
  private static final int END = 323;

  private Poet() {}

  /** Writes the model {@code poet}, and returns how many tokens it says. */
  public static int write(Path models) throws IOException {
    long[] ids = HuggingFaceTokenizer.read(TOKENIZER, false).encode(SAID);
    // Without the token that begins a prompt, with the one that ends an answer.
    long[] said = Arrays.copyOfRange(ids, 1, ids.length + 1);
    said[said.length - 1] = END;
    Path folder =
        StepModels.recital(
            models,
            "poet",
            VOCABULARY,
            said,
            """
            stop: { tokens: [323], steps: 200 }
              text: { tokenizer: tokenizer.json, context: 150 }\
            """);
    Files.copy(TOKENIZER, folder.resolve("tokenizer.json"));
    return said.length;
  }
}
