package dev.sluice.serving.control;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Names of files that a load request brings, one on each line, behind a digit: 1 if SavedModels may
 * come so. Those that are taken can be written, within the folder that is deleted again.
 */
final class OverrideFilesFuzz implements FuzzTarget {
  /** No file is written for each of a thousand names, which would take most of the time. */
  private static final int MOST_WRITTEN = 8;

  @Override
  public void accept(byte[] input) throws IOException {
    var bytes = new InputBytes(input);
    boolean savedModels = bytes.below(2) == 1;
    Set<String> names = Set.copyOf(bytes.text().lines().toList());
    Set<String> taken =
        Rejection.request(() -> {
          OverrideFiles.check(names, savedModels);
          return names;
        });
    if (taken != null && taken.size() <= MOST_WRITTEN) {
      write(taken);
    }
  }

  private static void write(Set<String> names) throws IOException {
    Map<String, byte[]> files = new HashMap<>();
    names.forEach(name -> files.put(name, name.getBytes(StandardCharsets.UTF_8)));
    UploadFolder written = UploadFolder.write(files);
    try (Stream<Path> found = Files.walk(written.files())) {
      if (found.filter(Files::isRegularFile).count() != names.size()) {
        throw new AssertionError("not in " + written.files() + ": " + names);
      }
    } finally {
      written.delete();
    }
    if (Files.exists(written.files())) {
      throw new AssertionError(written.files() + " is left");
    }
  }
}
