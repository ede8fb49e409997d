package dev.sluice.boot.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An operator's own configuration of Logback. */
@Timeout(120)
class LogbackFileIT {
  @TempDir private Path folder;

  private ChildServer serve(int port, String... more) throws IOException {
    Path file = folder.resolve("operator.xml");
    Files.writeString(
        file,
        """
        <configuration>
          <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
            <encoder><pattern>[own] %level %msg %kvp%n</pattern></encoder>
          </appender>
          <root level="INFO"><appender-ref ref="OUT"/></root>
        </configuration>
        """);
    TestModels.copy(
        TestModels.savedModel("half_plus_two", "00000123"), folder.resolve("models/half/1"));
    var arguments =
        new java.util.ArrayList<>(
            List.of(
                "serve",
                "--models",
                folder.resolve("models").toString(),
                "--listen",
                "localhost:" + port));
    arguments.addAll(List.of(more));
    return ChildServer.start(
        List.of("-Xmx512m", "-XX:+UseSerialGC", "-Dlogback.configurationFile=" + file),
        arguments.toArray(String[]::new));
  }

  private static List<String> lines(ChildServer server, String text) {
    return server.output().stream().filter(line -> line.contains(text)).toList();
  }

  @Test
  void everyLineIsWrittenAsTheOperatorSays() throws Exception {
    int port = ChildServer.freePort();
    try (ChildServer server = serve(port);
        var client = new HttpCaller(port)) {
      server.awaitLine("[own] INFO takes requests model=\"half/1\"");
      client.send("POST", "/v1/models/half:predict", Buffer.buffer("{\"instances\":[\"x\"]}"));
      server.awaitLine("path=\"/v1/models/half:predict\"");
      server.awaitLine("[own] INFO");
      assertThat(lines(server, "have no effect")).isEmpty();
      server.terminate();
      assertThat(server.exitCode()).isZero();
      assertThat(server.output()).noneMatch(line -> line.contains("Z INFO "));
    }
  }

  @Test
  void theAccessLogIsALoggerThatTheOperatorRoutes() throws Exception {
    int port = ChildServer.freePort();
    try (ChildServer server =
            serve(
                port,
                "--set=access_log.enabled=true",
                "--set=access_log.format=pattern",
                "--set=access_log.pattern=call $method $path $status");
        var client = new HttpCaller(port)) {
      client.send("GET", "/no/such/path", Buffer.buffer());
      server.awaitLine("[own] INFO call GET /no/such/path 404");
    }
  }

  @Test
  void settingsThatHaveNoEffectAreNamed() throws Exception {
    try (ChildServer server = serve(ChildServer.freePort(), "--log-level", "error")) {
      server.awaitLine("[own] WARN the settings log.* have no effect: ");
    }
  }

  @Test
  void fileThatIsNotThereIsAnErrorOfTheOperator() {
    assertThatThrownBy(() -> LogbackFile.require(folder.resolve("none.xml").toString()))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("the system property logback.configurationFile is ")
        .hasMessageEndingWith("none.xml, which is no file that can be read");
  }
}
