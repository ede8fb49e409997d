package dev.sluice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.boot.CommandLineProbe;
import dev.sluice.config.ControlConfig;
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
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages for those who come from Triton and KServe: their settings and commands are tried. */
class MigrationPagesIT {
  private static final Pattern PROMPT = Pattern.compile("(?m)^\\$ ");
  private static final Pattern SPACE = Pattern.compile(" ");

  @TempDir private Path folder;

  private static String page(String name) throws IOException {
    return Files.readString(Path.of("src/docs/migrate", name + ".md"));
  }

  private static List<String> blocks(String page, String language) {
    return Pattern.compile("(?ms)^```" + language + "\n(.*?)^```$")
        .matcher(page)
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"triton", "kserve"})
  void beginsWithWhatDiffersAndWhy(String name) throws IOException {
    var headings = Pattern.compile("(?m)^## (.*)$").matcher(page(name));
    assertThat(headings.find()).isTrue();
    assertThat(headings.group(1)).isEqualTo("What differs, and why");
  }

  /** Serves with all settings of the page, which are one file in the end. */
  @ParameterizedTest
  @CsvSource({"triton, 8000", "kserve, 8080"})
  void doesWhatThePageSays(String name, int port) throws Exception {
    String page = page(name);
    String yaml = String.join("", blocks(page, "yaml"));
    Path file =
        Files.writeString(
            folder.resolve("sluice.yml"),
            yaml.replace("enabled: true", "enabled: true\n    directory: " + folder));
    SluiceConfig read =
        new SluiceConfigReader(_ -> {}).read(Optional.of(file), Map.of(), List.of());
    ListenerConfig listener = read.listeners().getFirst().onHost("localhost").withPort(0);
    var repository =
        RepositoryConfig.of(
                new WantedModels(Path.of("src/sample/models"), Map.of()), Duration.ofMillis(50))
            .withControl(new ControlConfig(ControlConfig.Mode.EXPLICIT, Set.of("*"), true));
    try (var server = RunningServer.start(read.with(List.of(listener), repository))) {
      for (String block : blocks(page, "console")) {
        for (String command :
            PROMPT.splitAsStream(block).filter(part -> !part.isBlank()).toList()) {
          String line = command.lines().findFirst().orElseThrow();
          run(
              line.replace("localhost:" + port, "localhost:" + server.port())
                  .replace("/dev/shm", folder.toString()),
              command.substring(line.length()).strip());
        }
      }
    }
  }

  private static void run(String line, String output) throws Exception {
    if (line.startsWith("sluice ")) {
      String[] arguments = SPACE.splitAsStream(line).skip(1).toArray(String[]::new);
      assertThat(CommandLineProbe.exitCode(arguments)).isZero();
      return;
    }
    Process process = new ProcessBuilder("sh", "-c", line).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    assertThat(printed.strip()).as(line).isEqualTo(output);
  }
}
