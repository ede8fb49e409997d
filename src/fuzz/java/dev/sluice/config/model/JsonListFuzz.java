package dev.sluice.config.model;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.InputFile;
import dev.sluice.fuzz.Rejection;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Files of a model, by the digit in front: 0 a vocabulary, 1 the baseline of explanations. */
final class JsonListFuzz implements FuzzTarget {
  private final InputFile file = new InputFile("list.json");

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    int kind = bytes.below(2);
    Path path = file.with(bytes.rest());
    Supplier<?> reader =
        kind == 0 ? () -> VocabularyFile.read(path) : () -> BaselineFile.read(path);
    var _ = Rejection.file(reader);
  }
}
