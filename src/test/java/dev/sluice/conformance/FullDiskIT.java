package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server whose trace file, request logs and access log lie on a disk that is full after half a
 * megabyte: a small file system where the test may mount one, and a limit on the size of files
 * elsewhere.
 */
@Timeout(120)
class FullDiskIT {
  private static final int ROWS = 2_000;
  private static final int REQUESTS = 60;

  /** What a record has besides its data: length, and checksums of both. */
  private static final int AROUND_RECORD = 16;

  @TempDir private Path folder;
  private Path disk;
  private Path filler;
  private boolean mounted;
  private ChildServer server;
  private HttpCaller http;

  @BeforeEach
  void start() throws Exception {
    disk = Files.createDirectory(folder.resolve("disk"));
    filler = disk.resolve("filler");
    mounted = run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk.toString());
    if (mounted) {
      Files.write(filler, new byte[500_000]);
    }
    Path models = folder.resolve("models.config");
    Files.writeString(
        models,
        """
        model_config_list { config {
          name: "half_plus_two" base_path: "%s" model_platform: "tensorflow"
          logging_config {
            log_collector_config { type: "file" filename_prefix: "%s" }
            sampling_config { sampling_rate: 1 }
          }
        } }
        """
            .formatted(TestModels.savedModel("half_plus_two", ""), disk.resolve("log")));
    int port = ChildServer.freePort();
    server =
        ChildServer.start(
            "serve",
            "--listen=localhost:" + port,
            "--set=models.tensorflow_config.file=" + models,
            "--set=oip.trace.timestamps=true",
            "--set=oip.trace.tensors=true",
            "--set=oip.trace.rate=1",
            "--set=oip.trace.file=" + disk.resolve("trace.json"),
            "--set=access_log.enabled=true",
            "--set=access_log.file=" + disk.resolve("access.log"));
    server.awaitLine("takes requests model=half_plus_two/");
    http = new HttpCaller(port);
    if (!mounted) {
      limit("400000");
    }
  }

  @AfterEach
  void stop() throws Exception {
    http.close();
    server.close();
    if (mounted) {
      assertThat(run("umount", disk.toString())).isTrue();
    }
  }

  private void limit(String bytes) throws Exception {
    assertThat(run("prlimit", "--fsize=" + bytes + ":unlimited", "--pid", "" + server.pid()))
        .isTrue();
  }

  private static boolean run(String... command) throws Exception {
    try {
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor() == 0;
    } catch (IOException e) {
      // There is no such command here.
      return false;
    }
  }

  private void ask(int times) {
    String numbers = String.join(",", Collections.nCopies(ROWS, "2.0"));
    for (int i = 0; i < times; i++) {
      send("/v1/models/half_plus_two:predict", "{\"instances\":[" + numbers + "]}");
      send(
          "/v2/models/half_plus_two/infer",
          "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[%d,1],\"data\":[%s]}]}"
              .formatted(ROWS, numbers));
    }
  }

  private void send(String path, String body) {
    var answer = http.send("POST", path, Buffer.buffer(body));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  private long lines(String text) {
    return server.output().stream().filter(line -> line.contains(text)).count();
  }

  private Path log() throws IOException {
    try (Stream<Path> files = Files.list(disk)) {
      return files
          .filter(file -> file.getFileName().toString().endsWith(".tfrecord"))
          .findFirst()
          .orElseThrow();
    }
  }

  /** How many whole records there are, and nothing else. */
  private static int records(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    int count = 0;
    while (bytes.hasRemaining()) {
      int next = bytes.position() + Math.toIntExact(bytes.getLong()) + AROUND_RECORD;
      assertThat(next).isLessThanOrEqualTo(bytes.limit());
      bytes.position(next);
      count++;
    }
    return count;
  }

  private JsonArray traces() throws IOException {
    return new JsonArray(Files.readString(disk.resolve("trace.json")));
  }

  @Test
  void requestsAreAnsweredWhatWasWrittenStaysWholeAndItGoesOnWhenThereIsSpace() throws Exception {
    ask(REQUESTS);
    server.awaitLine("traces cannot be written");
    server.awaitLine("requests cannot be logged");
    if (mounted) {
      server.awaitLine("access log cannot be written");
    }
    assertThat(lines("cannot be")).isLessThan(10);
    assertThat(http.send("GET", "/metrics", Buffer.buffer()).text())
        .containsPattern("request_log_count\\{.*INTERNAL.*} [1-9]");

    if (mounted) {
      Files.delete(filler);
    } else {
      limit("unlimited");
    }
    ask(1);
    if (mounted) {
      server.awaitLine("access log is written again");
    }
    server.terminate();
    assertThat(server.exitCode()).isZero();
    int kept = records(log());
    assertThat(kept).isPositive().isLessThan(REQUESTS);
    assertThat(traces()).isNotEmpty();
    List<String> calls = Files.readAllLines(disk.resolve("access.log"));
    assertThat(calls).isNotEmpty().allSatisfy(line -> assertThat(new JsonObject(line)).isNotNull());
  }
}
