package dev.sluice.config;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.InputFile;
import dev.sluice.fuzz.Rejection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Settings of a model, by the digit in front: 0 {@code model.yml}, 1 {@code config.pbtxt}, 2 what a
 * caller loads a model with, in JSON.
 */
final class ModelFileFuzz implements FuzzTarget {
  private final InputFile yml = new InputFile("model.yml");
  private final InputFile triton = new InputFile("config.pbtxt");
  private final ModelConfigReader reader = new ModelConfigReader(SluiceConfig.DEFAULT, _ -> {});

  @Override
  public void accept(byte[] input) throws IOException {
    var bytes = new InputBytes(input);
    switch (bytes.below(3)) {
      case 0 -> read(yml.with(bytes.rest()));
      case 1 -> read(triton.with(bytes.rest()));
      default -> {
        String json = bytes.text();
        var _ = Rejection.file(() -> reader.readJson("m", json, Path.of("models", "m")));
      }
    }
  }

  private void read(Path file) throws IOException {
    Path folder = Objects.requireNonNull(file.getParent());
    var _ = Rejection.file(() -> reader.read(folder));
    Files.delete(file);
  }

  @Override
  public long bytesPerByte() {
    return 20_000;
  }
}
