package dev.sluice.loadtest.generator;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The programs that make load, as Debian packages them. {@code wrk} says quickly how fast HTTP/1.1
 * is answered; {@code h2load} speaks HTTP/2 too, keeps to a pace, and logs every request.
 */
public enum Generators {
  WRK("wrk", "wrk"),
  H2LOAD("h2load", "nghttp2-client");

  private static final Pattern SEPARATOR = Pattern.compile(Pattern.quote(File.pathSeparator));

  private final String program;
  private final String debianPackage;

  Generators(String program, String debianPackage) {
    this.program = program;
    this.debianPackage = debianPackage;
  }

  String program() {
    return program;
  }

  /**
   * What to tell someone who lacks a generator: one sentence for each that is missing.
   *
   * @param path the folders to look in, as in the environment's PATH
   */
  public static List<String> missing(String path) {
    List<String> sentences = new ArrayList<>();
    for (Generators generator : values()) {
      if (!generator.isIn(path)) {
        sentences.add(
            "The load generator '%s' is missing. On Debian: apt-get install %s"
                .formatted(generator.program, generator.debianPackage));
      }
    }
    return sentences;
  }

  private boolean isIn(String path) {
    return SEPARATOR
        .splitAsStream(path)
        .filter(folder -> !folder.isEmpty())
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
