package dev.sluice.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file in a temporary folder of its own that holds one input after the other. */
public final class InputFile {
  private final Path path;

  public InputFile(String name) {
    try {
      Path folder = Files.createTempDirectory("sluice-fuzz");
      folder.toFile().deleteOnExit();
      path = folder.resolve(name);
      path.toFile().deleteOnExit();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the file, with these bytes and no others. */
  public Path with(byte[] bytes) {
    try {
      return Files.write(path, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
