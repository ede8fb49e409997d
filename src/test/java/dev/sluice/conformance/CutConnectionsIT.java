package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfigReader;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.CutConnections;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Connections of every protocol that end at random places leave nothing behind. The seed is
 * printed; {@code -Dsluice.cut.seed} sets it, and {@code -Dsluice.cut.seconds} the time.
 */
class CutConnectionsIT {
  private static final int SECONDS = Integer.getInteger("sluice.cut.seconds", 8);
  private static final long SEED = Long.getLong("sluice.cut.seed", System.nanoTime());
  private static final int AT_ONCE = 16;
  private static final int EACH = 4;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static final String REQUEST =
      "{\"inputs\":[{\"name\":\"x\",\"shape\":[2,2],\"datatype\":\"FP32\",\"data\":[1,2,3,4]}]}";

  @TempDir private Path folder;

  @Test
  void nothingIsHeldWhenTheyHaveEndedAndTheServerAnswers() throws Exception {
    OnnxModelWriter.twice().writeTo(Files.createDirectories(folder.resolve("twice/1")));
    System.out.println("cut connections: -Dsluice.cut.seed=" + SEED);
    long blocks = TensorMemory.openBlocks();
    var config =
        new SluiceConfigReader(_ -> {})
            .read(
                Optional.empty(),
                Map.of(
                    "SLUICE_LISTEN", "localhost:0",
                    "SLUICE_MODELS_DIRECTORY", folder.toString(),
                    "SLUICE_LIMITS_MEMORY", "32MiB"),
                List.of());
    try (var server = RunningServer.start(config);
        var client = new HttpCaller(server.port())) {
      long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
      for (long round = 0; System.nanoTime() < end; round++) {
        play(server.port(), SEED + round * AT_ONCE);
        awaitNothing(server, blocks, round);
        var answer = client.send("POST", "/v2/models/twice/infer", Buffer.buffer(REQUEST));
        assertThat(answer.status()).as("round " + round).isEqualTo(200);
      }
    }
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocks);
  }

  private static void play(int port, long seed) {
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < AT_ONCE; i++) {
        var cut = new CutConnections(seed + i, port);
        var _ =
            clients.submit(() -> {
              for (int n = 0; n < EACH; n++) {
                cut.next();
              }
            });
      }
    }
  }

  /** Runs that were under way when their clients left may take a moment. */
  private static void awaitNothing(RunningServer server, long blocks, long round) {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (server.memory().held() != 0 || TensorMemory.openBlocks() != blocks) {
      assertThat(System.nanoTime())
          .as(
              "round %d of seed %d: %d bytes and %d blocks are held",
              round, SEED, server.memory().held(), TensorMemory.openBlocks() - blocks)
          .isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
    }
  }
}
