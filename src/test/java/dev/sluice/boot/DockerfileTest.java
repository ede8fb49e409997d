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

/**
 * The recipe of the image fits the sources, the start script and the command line, as far as that
 * can be told without making the image: {@code make image-test} does.
 */
class DockerfileTest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern EXPORT =
      Pattern.compile("(?m)^export (\\w+)=(?:\"\\$\\{\\w+:-)?(\\w+)");
  private static final String HOME = "/opt/sluice";

  @Test
  void everyInstructionIsOneOfThoseThatItNeeds() throws IOException {
    assertThat(Files.readAllLines(Path.of("Dockerfile")))
        .filteredOn(line -> !line.isBlank() && !line.startsWith("#"))
        .allMatch(line ->
            line.matches(
                "(ARG|FROM|WORKDIR|COPY|RUN|LABEL|ENV|USER|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD)"
                    + " \\S.*"))
        .filteredOn(line -> line.startsWith("FROM "))
        .containsExactly("FROM ${JDK} AS build", "FROM ${BASE}");
  }

  @Test
  void whatItsBuildReadsIsThere() throws IOException {
    assertThat(Files.readAllLines(Path.of(".dockerignore")))
        .filteredOn(line -> line.startsWith("!"))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(Path.of(line.substring(1))).exists());
    assertThat(all("RUN"))
        .anyMatch(line -> line.startsWith("sh src/build/runtime.sh "))
        .anyMatch(line -> line.contains("-Dflavour=${FLAVOUR}"));
    assertThat(Path.of("src/build/runtime.sh")).exists();
  }

  @Test
  void itStartsWithoutAShellAsAnUnprivilegedUser() throws IOException {
    assertThat(all("COPY").getLast()).isEqualTo("--from=build " + HOME + " " + HOME);
    String options = HOME + "/lib/java.options";
    assertThat(list("ENTRYPOINT"))
        .containsExactly(HOME + "/java/bin/java", "@" + options, "dev.sluice.boot.Main");
    assertThat(all("RUN").getLast()).endsWith(HOME + "/bin/sluice java-options >" + options);
    assertThat(all("USER").getLast()).matches("[1-9]\\d*:[1-9]\\d*");
  }

  @Test
  void itsHealthCheckIsWhatTheStartScriptRuns() throws IOException {
    String script = Files.readString(Path.of("src/dist/bin/sluice"));
    String check = all("HEALTHCHECK").getLast();
    List<String> words = words(JSON, check.substring(check.indexOf("CMD ") + "CMD ".length()));
    assertThat(words)
        .startsWith(HOME + "/java/bin/java")
        .endsWith("dev.sluice.boot.Main", "health");
    assertThat(script).contains("health | health\\ *) become_java " + words.get(1) + " ");
  }

  @Test
  void itsEnvironmentIsThatOfTheStartScript() throws IOException {
    String script = Files.readString(Path.of("src/dist/bin/sluice"));
    List<String> exports =
        EXPORT.matcher(script).results().map(one -> one.group(1) + "=" + one.group(2)).toList();
    assertThat(all("ENV")).hasSizeGreaterThan(2).containsExactlyInAnyOrderElementsOf(exports);
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

  private static List<String> list(String instruction) throws IOException {
    return words(JSON, all(instruction).getLast());
  }

  private static List<String> words(JsonMapper json, String array) throws IOException {
    List<String> words = new ArrayList<>();
    json.readTree(array).forEach(word -> words.add(word.asText()));
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
