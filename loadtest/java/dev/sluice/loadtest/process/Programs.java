package dev.sluice.loadtest.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The programs that this machine has. */
public final class Programs {
  private static final Pattern SEPARATOR = Pattern.compile(Pattern.quote(File.pathSeparator));

  private Programs() {}

  /**
   * Whether a program is installed.
   *
   * @param path the folders to look in, as in the environment's PATH
   */
  public static boolean isIn(String path, String program) {
    return SEPARATOR
        .splitAsStream(path)
        .filter(folder -> !folder.isEmpty())
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
