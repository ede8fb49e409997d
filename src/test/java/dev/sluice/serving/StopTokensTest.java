package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.generator.Generator;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.MaskedDecoder.Positions;
import dev.sluice.testing.OnnxModelWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens that end streams, by the settings of a decoder that has 32 tokens. */
class StopTokensTest {
  @TempDir Path models;

  private Path decoder(String tokens) throws IOException {
    Path folder =
        new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT).writeTo(models, "decoder", 7, "");
    Path settings = folder.resolve("model.yml");
    String stop = "tokens: %s, steps: 7".formatted(tokens);
    Files.writeString(settings, Files.readString(settings).replace("steps: 7", stop));
    return folder;
  }

  private static void load(Path folder) {
    GeneratorConfig loop = HeldDecoder.config(folder).stream().generator().orElseThrow();
    try (ModelSession session = MaskedDecoder.open(folder);
        var generator =
            new Generator(loop, session.metadata(), Optional.empty(), System::nanoTime)) {
      assertThat(generator.shown(session.metadata()).signatures()).isNotEmpty();
    }
  }

  @Test
  void tokensThatTheModelHasNotAreRefusedByTheirNumbers() throws IOException {
    load(decoder("[0, 31]"));
    Path wrong = decoder("[2, 32, 50256]");
    assertThatThrownBy(() -> load(wrong))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "stream.stop.tokens has [32, 50256] (without it: eos_token_id of the model's files);"
                + " the model has tokens from 0 to 31");
  }
}
