package dev.sluice.loadtest.generator;

import dev.sluice.loadtest.process.Programs;
import java.util.ArrayList;
import java.util.List;

/**
 * The programs that make load, as Debian packages them. {@code wrk} says quickly how fast HTTP/1.1
 * is answered; {@code h2load} speaks HTTP/2 too, keeps to a pace, and logs every request.
 */
public enum Generators {
  WRK("wrk", "wrk"),
  H2LOAD("h2load", "nghttp2-client");

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
      if (!Programs.isIn(path, generator.program)) {
        sentences.add(
            "The load generator '%s' is missing. On Debian: apt-get install %s"
                .formatted(generator.program, generator.debianPackage));
      }
    }
    return sentences;
  }
}
