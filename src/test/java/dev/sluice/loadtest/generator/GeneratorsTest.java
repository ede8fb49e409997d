package dev.sluice.loadtest.generator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratorsTest {
  @Test
  void missingGeneratorsAreNamedWithTheirPackages(@TempDir Path empty) {
    assertThat(Generators.missing(empty.toString()))
        .containsExactly(
            "The load generator 'wrk' is missing. On Debian: apt-get install wrk",
            "The load generator 'h2load' is missing. On Debian: apt-get install nghttp2-client");
  }

  @Test
  void whatLiesOnThePathIsNotMissing(@TempDir Path folder) throws IOException {
    assertThat(Files.createFile(folder.resolve("wrk")).toFile().setExecutable(true)).isTrue();
    assertThat(Generators.missing("/nowhere:" + folder))
        .singleElement()
        .asString()
        .contains("h2load");
  }
}
