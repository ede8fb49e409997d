package dev.sluice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.ListenerConfig;
import dev.sluice.config.RepositoryConfig;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.WantedModels;
import dev.sluice.testing.RunningServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the page about security shows can be read and done, with the settings and keys it shows. */
class SecurityPageIT {
  private static final Path PAGE = Path.of("src/docs/security.md");

  @TempDir private static Path folder;
  private static RunningServer server;

  /** A line behind a dollar sign, and what is printed below it. */
  record Command(String line, String output) {
    @Override
    public String toString() {
      return line;
    }
  }

  private static List<String> blocks(String language) throws IOException {
    return Pattern.compile("(?ms)^```" + language + "\n(.*?)^```$")
        .matcher(Files.readString(PAGE))
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  static Stream<String> settings() throws IOException {
    return blocks("yaml").stream();
  }

  static Stream<Command> commands() throws IOException {
    return blocks("console").stream()
        .flatMap(Pattern.compile("(?m)^\\$ ")::splitAsStream)
        .filter(part -> !part.isBlank())
        .map(part -> {
          String line = part.lines().findFirst().orElseThrow();
          return new Command(line, part.substring(line.length()).strip());
        });
  }

  private static SluiceConfig read(String yaml) throws IOException {
    Path file = Files.writeString(folder.resolve("sluice.yml"), yaml);
    return new SluiceConfigReader(_ -> {}).read(Optional.of(file), Map.of(), List.of());
  }

  @BeforeAll
  static void serveWithTheKeysOfThePage() throws IOException {
    String keys =
        blocks("").stream()
            .filter(block -> block.contains("ci: sha256:"))
            .findFirst()
            .orElseThrow();
    Path file = Files.writeString(folder.resolve("keys"), keys);
    String yaml = settings().filter(block -> block.contains("api_keys:")).findFirst().orElseThrow();
    server =
        RunningServer.start(
            read(yaml.replace("/etc/sluice/keys", file.toString()))
                .with(
                    List.of(ListenerConfig.DEFAULT.withPort(0)),
                    RepositoryConfig.of(
                        new WantedModels(Path.of("src/sample/models"), Map.of()), Duration.ZERO)));
  }

  @AfterAll
  static void close() {
    server.close();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void settingsCanBeRead(String yaml) throws IOException {
    assertThat(read(yaml)).isNotEqualTo(SluiceConfig.DEFAULT);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void commandsDoWhatThePageSays(Command command) throws Exception {
    String line = command.line().replace("localhost:8080", "localhost:" + server.port());
    Process process = new ProcessBuilder("sh", "-c", line).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output.strip()).isEqualTo(command.output());
  }
}
