package dev.sluice.config.compat.huggingface;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.InputFile;
import dev.sluice.fuzz.Rejection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Files that a model is published with, by the digit in front: 0 {@code config.json}, 1 {@code
 * tokenizer_config.json}, 2 {@code modules.json}, 3 {@code sentence_bert_config.json}, 4 {@code
 * 1_Pooling/config.json}.
 */
final class PublishedModelFuzz implements FuzzTarget {
  private static final List<String> NAMES =
      List.of(
          "config.json",
          "tokenizer_config.json",
          "modules.json",
          "sentence_bert_config.json",
          "1_Pooling/config.json");

  private final Path folder =
      Objects.requireNonNull(new InputFile("model").with(new byte[0]).getParent());

  @Override
  public void accept(byte[] input) throws IOException {
    var bytes = new InputBytes(input);
    Path file = folder.resolve(bytes.one(NAMES));
    Files.createDirectories(file.getParent());
    Files.write(file, bytes.rest());
    var _ = Rejection.file(() -> requireSound(PublishedModel.in(List.of(folder))));
    Files.delete(file);
  }

  private static PublishedModel requireSound(PublishedModel model) {
    if (model.maxSequence() < 0 || model.maxTokens() < 0 || model.maxPositions() < 0) {
      throw new AssertionError("a negative number of tokens");
    }
    boolean any = model.is("For") || model.padToken().isPresent() || model.labels().isEmpty();
    if (any && model.activation().isPresent()) {
      var _ = model.normalize();
    }
    var _ = model.normalize();
    var _ = model.pooling();
    return model;
  }
}
