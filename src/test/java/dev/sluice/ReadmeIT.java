package dev.sluice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.boot.CommandLineProbe;
import dev.sluice.config.ModelConfig;
import dev.sluice.config.ModelConfigReader;
import dev.sluice.testing.Grpcurl;
import dev.sluice.testing.RunningServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command of the README does what the README says, against the sample models. */
class ReadmeIT {
  private static final Path README = Path.of("README.md");
  private static final Pattern PROMPT = Pattern.compile("(?m)^\\$ ");
  private static final Pattern SPACE = Pattern.compile(" ");
  private static final JsonMapper JSON = new JsonMapper();

  private static RunningServer server;

  /** A line behind a dollar sign, and what is printed below it. */
  record Command(String line, String output) {
    @Override
    public String toString() {
      return line;
    }
  }

  @BeforeAll
  static void serveTheSampleModels() {
    server = RunningServer.start(Path.of("src/sample/models"));
  }

  @AfterAll
  static void close() {
    server.close();
  }

  static Stream<Command> commands() throws IOException {
    var blocks = Pattern.compile("```console\n(.*?)```", Pattern.DOTALL);
    List<Command> commands = new ArrayList<>();
    for (var block : blocks.matcher(Files.readString(README)).results().toList()) {
      for (String part : PROMPT.splitAsStream(block.group(1)).toList()) {
        if (!part.isBlank()) {
          String line = part.lines().findFirst().orElseThrow();
          commands.add(new Command(line, part.substring(line.length()).strip()));
        }
      }
    }
    return commands.stream();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void doesWhatThePageSays(Command command) throws Exception {
    String line = command.line().replace("localhost:8080", "localhost:" + server.port());
    switch (line.substring(0, line.indexOf(' '))) {
      case "curl" -> assertThat(shell(line)).isEqualTo(command.output());
      case "grpcurl" ->
          assertThat(JSON.readTree(Grpcurl.run(line))).isEqualTo(JSON.readTree(command.output()));
      case "make" -> assertThat(shell(line + " --dry-run")).isNotEmpty();
      case "sluice" ->
          assertThat(
                  CommandLineProbe.exitCode(
                      SPACE.splitAsStream(line).skip(1).toArray(String[]::new)))
              .isZero();
      default -> throw new AssertionError("nobody knows how to run " + line);
    }
  }

  @Test
  void hasCommandsOfEveryKind() throws IOException {
    List<String> lines = commands().map(Command::line).toList();
    for (String kind : List.of("curl ", "grpcurl ", "make run", "make test", "sluice check")) {
      assertThat(lines).anyMatch(line -> line.startsWith(kind));
    }
  }

  @Test
  void itsModelSettingsCanBeRead(@TempDir Path folder) throws IOException {
    var yaml = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    var block = yaml.matcher(Files.readString(README));
    assertThat(block.find()).isTrue();
    Files.writeString(folder.resolve("model.yml"), block.group(1));
    ModelConfig read = new ModelConfigReader(ModelConfig.DEFAULT, _ -> {}).read(folder);
    assertThat(read.labels()).containsEntry("canary", 2L);
  }

  private static String shell(String line) throws IOException, InterruptedException {
    Process process = new ProcessBuilder("sh", "-c", line).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.strip();
  }
}
