package dev.sluice.loadtest.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/**
 * A distribution as those have it who install it: with the AOT cache that {@code sluice aot-cache}
 * makes. A folder of links, so that the build's own one stays as it was built.
 */
public final class Installed {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private Installed() {}

  /**
   * Installs a distribution and makes its cache, which takes about a minute. Blocks.
   *
   * @param distribution the folder that holds bin/sluice
   * @param home the folder for it; what is there of the same names is replaced
   * @return the home
   */
  public static Path in(Path home, Path distribution, Children children) {
    Path script = Path.of("bin", "sluice");
    try {
      Path lib = Files.createDirectories(home.resolve("lib"));
      link(distribution.resolve("lib"), lib);
      // Not a link: the script follows those to find its home.
      Files.createDirectories(home.resolve("bin"));
      Files.copy(
          distribution.resolve(script),
          home.resolve(script),
          StandardCopyOption.REPLACE_EXISTING,
          StandardCopyOption.COPY_ATTRIBUTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    children.output(List.of(home.resolve(script).toAbsolutePath().toString(), "aot-cache"), LIMIT);
    return home;
  }

  private static void link(Path from, Path to) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(from)) {
      for (Path entry : entries) {
        Path link = to.resolve(entry.getFileName().toString());
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, entry.toAbsolutePath());
      }
    }
  }
}
