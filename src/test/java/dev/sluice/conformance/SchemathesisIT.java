package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The API documents as public tools see them: openapi-spec-validator, and schemathesis, which sends
 * what they say and looks whether the answers are as they say. Left out where Python's packages
 * cannot be installed.
 */
@Timeout(900)
class SchemathesisIT {
  private static final Path PLACE = Path.of("target/openapi-venv");
  private static final Path PYTHON = PLACE.resolve("bin/python");
  private static final Path REQUIREMENTS = Path.of("src/test/python/openapi-requirements.txt");
  private static final int INSTALLING_SECONDS = 240;
  private static final int ASKING_SECONDS = 480;

  @TempDir private static Path folder;

  @BeforeAll
  static void install() throws Exception {
    Path done = PLACE.resolve("installed");
    if (Files.exists(done) && Files.readString(done).equals(Files.readString(REQUIREMENTS))) {
      return;
    }
    assumeTrue(
        run("venv", INSTALLING_SECONDS, "python3", "-m", "venv", PLACE.toString()) == 0,
        "Python 3 makes no virtual environment");
    assumeTrue(
        run(
                "pip",
                INSTALLING_SECONDS,
                PYTHON.toString(),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--requirement",
                REQUIREMENTS.toString())
            == 0,
        "schemathesis cannot be installed");
    Files.copy(REQUIREMENTS, done);
  }

  /** Returns the exit code; -1 if there is no such program or it has not ended in time. */
  private static int run(String name, int seconds, String... command) throws Exception {
    Path out = folder.resolve(name + ".out");
    Process process;
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .start();
    } catch (IOException e) {
      return -1;
    }
    try {
      return process.waitFor(seconds, TimeUnit.SECONDS) ? process.exitValue() : -1;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** No caller may change the server. */
  private static SluiceConfig settings(Path models) {
    return RunningServer.settings(
        ListenerConfig.DEFAULT.withPort(0),
        RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ZERO));
  }

  @Test
  void theServerAnswersAsItsDocumentsSay() throws Exception {
    Path models = folder.resolve("models");
    TestModels.copy(Path.of("src/sample/models/addsub"), models.resolve("addsub"));
    try (RunningServer server = RunningServer.start(settings(models))) {
      int code =
          run(
              "schemathesis",
              ASKING_SECONDS,
              PYTHON.toString(),
              "src/test/python/openapi.py",
              server.url(),
              "addsub");
      List<String> said = Files.readAllLines(folder.resolve("schemathesis.out"));
      assertThat(code).as(String.join("\n", said)).isZero();
      assertThat(said).hasSize(5).allMatch(line -> line.endsWith(" passed"));
    }
  }
}
