package dev.sluice.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.boot.log.LogSetup;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that log JSON, and what others than the log write in them. */
@Timeout(120)
class JsonOutputIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  /** Writes many lines past the log, as native code does, and says when it is through. */
  static final class Talkative {
    private static final int LINES = 30_000;

    private Talkative() {}

    public static void main(String[] arguments) throws IOException {
      LogSetup.forWholeProcess();
      LogSetup.whileReadingSettings(warn ->
          new SluiceConfigReader(warn)
              .read(Optional.empty(), Map.of("SLUICE_LOG_FORMAT", "json"), List.of()));
      var err = new FileOutputStream(FileDescriptor.err);
      for (int i = 0; i < LINES; i++) {
        err.write(
            ("2026-01-01 00:00:00.000000: W a.cc:1] line " + i + " ...".repeat(20) + "\n")
                .getBytes(UTF_8));
      }
      System.out.println("through");
      err.write("the last line, without an end".getBytes(UTF_8));
      LogSetup.finish();
    }
  }

  private Process start(List<String> flags, String main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=" + folder.resolve("error.log")));
    command.addAll(flags);
    Optional.ofNullable(System.getProperty("sluice.native.dir"))
        .ifPresent(natives -> command.add("-Dsluice.native.dir=" + natives));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command);
    builder.environment().put("TF_CPP_MIN_LOG_LEVEL", "0");
    builder.environment().put("SLUICE_SHUTDOWN_GRACE_PERIOD", "0s");
    return builder.start();
  }

  private Process serve() throws IOException {
    return serve(ChildServer.freePort());
  }

  private Process serve(int port) throws IOException {
    Path models = Files.createDirectories(folder.resolve("models"));
    TestModels.copy(TestModels.savedModel("half_plus_two", "00000123"), models.resolve("half/1"));
    return start(
        List.of(),
        Main.class.getName(),
        "serve",
        "--log-format",
        "json",
        "--set=access_log.enabled=true",
        "--models",
        models.toString(),
        "--listen",
        "localhost:" + port);
  }

  private static JsonNode record(String line) {
    try {
      JsonNode record = JSON.readTree(line);
      assertThat(record.isObject()).as(line).isTrue();
      return record;
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON: " + line, e);
    }
  }

  /** What is printed until all of these texts were. */
  private static List<JsonNode> recordsUntil(BufferedReader lines, String... texts)
      throws IOException {
    List<JsonNode> records = new ArrayList<>();
    List<String> missing = new ArrayList<>(List.of(texts));
    while (!missing.isEmpty()) {
      String line = lines.readLine();
      assertThat(line).as("the end before " + missing).isNotNull();
      records.add(record(line));
      missing.removeIf(line::contains);
    }
    return records;
  }

  @Test
  void aServerPrintsNothingButRecordsLinesOfTensorflowIncluded() throws Exception {
    Process server = serve();
    try (BufferedReader err = server.errorReader()) {
      List<JsonNode> records = recordsUntil(err, "takes requests", " listens on ");
      server.toHandle().destroy();
      err.lines().map(JsonOutputIT::record).forEach(records::add);
      assertThat(server.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(server.inputReader().lines()).isEmpty();
      assertThat(records)
          .anySatisfy(record -> {
            assertThat(record.get("logger").textValue()).isEqualTo("native.tensorflow");
            assertThat(record.get("level").textValue()).isEqualTo("INFO");
          });
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void callsAreRecordsOfTheirOwn() throws Exception {
    int port = ChildServer.freePort();
    Process server = serve(port);
    try (BufferedReader err = server.errorReader();
        var client = new HttpCaller(port)) {
      recordsUntil(err, "takes requests");
      client.send("POST", "/v1/models/half:predict", Buffer.buffer("{\"instances\":[1.0]}"));
      JsonNode call = recordsUntil(err, "/v1/models/half:predict").getLast();
      assertThat(call.get("status").intValue()).isEqualTo(200);
      assertThat(call.get("run_ms").doubleValue()).isPositive();
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void theReasonOfACrashIsStillPrinted() throws Exception {
    Process server = serve();
    try (BufferedReader err = server.errorReader()) {
      recordsUntil(err, " listens on ");
      new ProcessBuilder("kill", "-SEGV", Long.toString(server.pid())).start().waitFor();
      assertThat(server.inputReader().lines())
          .anyMatch(line -> line.contains("A fatal error has been detected"));
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void nativeCodeDoesNotWaitForReadersOfTheLog() throws Exception {
    Process process = start(List.of(), Talkative.class.getName());
    try (BufferedReader out = process.inputReader()) {
      // Nothing of the standard error is read before, and it is far more than a pipe holds.
      assertThat(out.readLine()).isEqualTo("through");
      List<JsonNode> records = process.errorReader().lines().map(JsonOutputIT::record).toList();
      assertThat(records).hasSizeGreaterThan(1_000);
      assertThat(records.getFirst().get("logger").textValue()).isEqualTo("native.tensorflow");
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }
}
