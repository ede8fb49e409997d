package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.boot.cli.SluiceCommand;
import dev.sluice.boot.cli.StartFailure;
import dev.sluice.config.SluiceConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the image's recipe names is there, as far as that can be told without making the image. */
class DockerfileTest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern SPACES = Pattern.compile("\\s+");

  @Test
  void everyInstructionIsOneOfThoseThatItNeeds() throws IOException {
    assertThat(Files.readAllLines(Path.of("Dockerfile")))
        .filteredOn(line -> !line.isBlank() && !line.startsWith("#"))
        .allMatch(line -> line.matches("(FROM|COPY|RUN|USER|EXPOSE|ENTRYPOINT|CMD) \\S.*"))
        .first()
        .asString()
        .startsWith("FROM ");
  }

  @Test
  void whatItCopiesIsThere() throws IOException {
    List<String> copies = all("COPY");
    assertThat(copies).isNotEmpty();
    for (String copy : copies) {
      assertThat(Path.of(words(copy).getFirst())).exists();
    }
  }

  @Test
  void itRunsTheCopiedCommandAsAnUnprivilegedUser() throws IOException {
    String copied = words(all("COPY").getFirst()).getLast();
    String command = list("ENTRYPOINT").getFirst();
    assertThat(command).startsWith(copied + "/");
    assertThat(Path.of("src/dist" + command.substring(copied.length()))).exists();
    assertThat(all("USER").getLast()).matches("[1-9]\\d*:[1-9]\\d*");
  }

  @Test
  void itsArgumentsServeThePortThatItExposes(@TempDir Path models) throws IOException {
    List<SluiceConfig> started = new ArrayList<>();
    var command =
        SluiceCommand.commandLine(
            config -> {
              started.add(config);
              throw StartFailure.cannotListen("nowhere", new IOException("a test"));
            },
            Map.of());
    command.setErr(new PrintWriter(new StringWriter()));
    command.execute(
        list("CMD").stream()
            .map(word -> word.equals("/models") ? models.toString() : word)
            .toArray(String[]::new));
    assertThat(started.getFirst().listeners())
        .singleElement()
        .satisfies(listener -> {
          assertThat(listener.host()).isEqualTo("0.0.0.0");
          assertThat(all("EXPOSE")).containsExactly(Integer.toString(listener.port()));
        });
  }

  private static List<String> words(String text) {
    return SPACES.splitAsStream(text).toList();
  }

  private static List<String> list(String instruction) throws IOException {
    List<String> words = new ArrayList<>();
    JSON.readTree(all(instruction).getLast()).forEach(word -> words.add(word.asText()));
    return words;
  }

  /** What stands behind an instruction, each time. */
  private static List<String> all(String instruction) throws IOException {
    return Files.readAllLines(Path.of("Dockerfile")).stream()
        .filter(line -> line.startsWith(instruction + " "))
        .map(line -> line.substring(instruction.length() + 1).strip())
        .toList();
  }
}
