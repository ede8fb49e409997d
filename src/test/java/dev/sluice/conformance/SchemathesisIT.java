package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.PythonPackages;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
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
  private static final int ASKING_SECONDS = 480;
  private static final String OUTPUT = "schemathesis.out";

  @TempDir private static Path folder;

  private static PythonPackages python;

  @BeforeAll
  static void install() throws Exception {
    python = PythonPackages.install("openapi-venv", "openapi-requirements.txt");
  }

  /** Returns the exit code; -1 if it has not ended in time. */
  private static int run(List<String> command) throws Exception {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(OUTPUT).toFile())
            .start();
    try {
      return process.waitFor(ASKING_SECONDS, TimeUnit.SECONDS) ? process.exitValue() : -1;
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
      int code = run(python.script("src/test/python/openapi.py", server.url(), "addsub"));
      List<String> said = Files.readAllLines(folder.resolve(OUTPUT));
      assertThat(code).as(String.join("\n", said)).isZero();
      assertThat(said).hasSize(5).allMatch(line -> line.endsWith(" passed"));
    }
  }
}
