package dev.sluice.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes whose folder of native libraries has ONNX Runtime alone. */
class FlavourIT {
  private static final Path NATIVE = Path.of(System.getProperty("sluice.native.dir"));

  @TempDir private Path natives;

  @BeforeEach
  void shipOnnxRuntimeAlone() throws IOException {
    Files.createSymbolicLink(natives.resolve("onnx"), NATIVE.resolve("onnx").toAbsolutePath());
  }

  /** What it leads to is no part of the folder that is deleted. */
  @AfterEach
  void unlink() throws IOException {
    Files.delete(natives.resolve("onnx"));
  }

  @Test
  void aSavedModelIsRefusedWithTheNameOfTheDistributionThatServesIt() throws Exception {
    String printed = run(1, "check", "--models", "src/sample/models");
    assertThat(printed)
        .contains(
            "model half_plus_two/2 is a SavedModel, and this is the distribution of Sluice without"
                + " TensorFlow; the one with it is built without FLAVOUR=onnx")
        .doesNotContain("\tat ")
        .containsPattern("addsub +1");
  }

  @Test
  void theVersionNamesTheFlavour() throws Exception {
    assertThat(run(0, "--version")).containsPattern("(?m)^sluice \\S+\\+onnx$");
  }

  private String run(int exitCode, String... arguments) throws IOException, InterruptedException {
    List<String> java =
        List.of(
            System.getProperty("java.home") + "/bin/java",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dsluice.native.dir=" + natives,
            "--class-path",
            System.getProperty("java.class.path"),
            "dev.sluice.boot.Main");
    Process process =
        new ProcessBuilder(Stream.concat(java.stream(), Stream.of(arguments)).toList())
            .redirectErrorStream(true)
            .start();
    try {
      String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(printed).isEqualTo(exitCode);
      return printed;
    } finally {
      process.destroyForcibly();
    }
  }
}
