package dev.sluice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.RunningServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's own code compiles with the README's commands, and answers as it says. */
class OwnCodeReadmeIT {
  private static final Path JDK = Path.of(System.getProperty("java.home"), "bin");

  @TempDir Path folder;

  private static String block(String language) throws IOException {
    Matcher block =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("README.md")));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  @Test
  void exampleIsCompiledPackedAndServed() throws Exception {
    Files.writeString(folder.resolve("Words.java"), block("java"));
    List<String> lines = block("sh").lines().toList();
    List<String> building = lines.stream().takeWhile(line -> !line.startsWith("curl")).toList();
    building.forEach(this::shell);
    List<String> asking = lines.subList(building.size(), lines.size());
    assertThat(asking).hasSize(2);
    try (var server = RunningServer.startWithPlugins(folder.resolve("models"))) {
      String answer =
          shell(asking.getFirst().replace("localhost:8080", "localhost:" + server.port()));
      assertThat("# " + answer).isEqualTo(asking.getLast());
    }
  }

  private String shell(String line) {
    String here =
        line.replace("'target/sluice/lib/*'", Path.of("target/classes").toAbsolutePath().toString())
            .replaceFirst("^(javac|jar) ", JDK + "/$1 ");
    try {
      Process process =
          new ProcessBuilder("sh", "-c", here)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor()).as(output).isZero();
      return output.strip();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(line, e);
    }
  }
}
