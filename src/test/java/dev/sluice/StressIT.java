package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The concurrency tests of {@code src/jcstress}, in their shortest form; {@code make stress} runs
 * them for longer.
 */
class StressIT {
  private static final int MOST_MINUTES = 10;

  @TempDir private Path folder;

  @Test
  void noTwoThreadsEverMeetInAWayThatIsForbidden() throws Exception {
    Path report = folder.resolve("report.txt");
    Process run =
        new ProcessBuilder(
                List.of(
                    ProcessHandle.current().info().command().orElseThrow(),
                    "--class-path",
                    classPath(),
                    "dev.sluice.stress.StressRun",
                    "-m",
                    "sanity",
                    "-sc",
                    "false",
                    "-r",
                    folder + File.separator))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(report.toFile())
            .start();
    try {
      assertThat(run.waitFor(MOST_MINUTES, TimeUnit.MINUTES)).isTrue();
      assertThat(run.exitValue()).as(() -> text(report)).isZero();
    } finally {
      run.descendants().forEach(ProcessHandle::destroyForcibly);
      run.destroyForcibly();
    }
  }

  /** As the process runs in a folder of its own, into which its results fall. */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
