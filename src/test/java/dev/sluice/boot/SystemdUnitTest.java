package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The unit of systemd fits the command line, the shutdown and the exit codes. */
class SystemdUnitTest {
  private static final Path UNIT = Path.of("src/dist/systemd/sluice.service");
  private static final Path PAGE = Path.of("src/docs/operate/systemd.md");

  @TempDir private Path folder;

  private static String value(String key) throws IOException {
    List<String> values =
        Files.readAllLines(UNIT).stream()
            .filter(line -> line.startsWith(key + "="))
            .map(line -> line.substring(key.length() + 1))
            .toList();
    assertThat(values).hasSize(1);
    return values.getFirst();
  }

  /** With the settings of the page where the unit expects them, and another folder of models. */
  private SluiceConfig started() throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf("```yaml\n") + "```yaml\n".length();
    Path settings = folder.resolve("sluice.yml");
    Files.writeString(
        settings,
        page.substring(from, page.indexOf("```", from))
            .replace("/var/lib/sluice/models", folder.toString()));
    List<String> words = new ArrayList<>(List.of(value("ExecStart").split(" ", -1)));
    assertThat(words.removeFirst()).isEqualTo("/opt/sluice/bin/sluice");
    words.replaceAll(word -> word.equals("/etc/sluice/sluice.yml") ? settings.toString() : word);
    return Manifests.started(words);
  }

  @Test
  void theServerOfThePageStartsByTheLineOfTheUnit() throws IOException {
    assertThat(started().listeners()).singleElement().extracting("port").isEqualTo(8080);
  }

  @Test
  void theServerHasEndedBeforeItIsKilled() throws IOException {
    var shutdown = started().process().shutdown();
    Duration drain = shutdown.gracePeriod().plus(shutdown.drainTimeout());
    assertThat(Duration.ofSeconds(Long.parseLong(value("TimeoutStopSec"))))
        .isGreaterThan(drain.plusSeconds(10));
  }

  /** An admin listener and one more are usual. */
  @Test
  void thereAreFileDescriptorsForTheConnectionsOfThreeListeners() throws IOException {
    assertThat(Integer.parseInt(value("LimitNOFILE")))
        .isGreaterThan(3 * started().limits().maxConnections() + 1_000);
  }

  @Test
  void aServerWithWrongSettingsIsNotStartedAgain() throws IOException {
    assertThat(value("RestartPreventExitStatus"))
        .isEqualTo(Integer.toString(CommandLine.ExitCode.USAGE));
  }

  @Test
  void theServerMayOpenTheSocketsThatItAndTheCLibraryNeed() throws IOException {
    // AF_NETLINK is how the C library lists network interfaces, which java.net.NetworkInterface
    // asks.
    assertThat(value("RestrictAddressFamilies").split(" ", -1))
        .containsExactly("AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK");
  }
}
