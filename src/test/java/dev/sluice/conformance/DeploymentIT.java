package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.RepositoryConfig;
import dev.sluice.config.WantedModels;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tool that deploys copies, pauses, truncates, deletes and restores versions at random while
 * clients ask. One version stays good; whatever happens to the others, no request fails.
 *
 * <p>{@code -Dsluice.deployment.steps} makes it longer; {@code -Dsluice.deployment.seed} is printed
 * when it fails.
 */
class DeploymentIT {
  private static final Path SAVED = Path.of("src/test/models/tfs/half_plus_two/00000123");
  private static final int STEPS = Integer.getInteger("sluice.deployment.steps", 60);
  private static final long SEED = Long.getLong("sluice.deployment.seed", 16);
  private static final Duration POLL = Duration.ofMillis(10);

  /** What a client gets between two steps, so that the server has looked meanwhile. */
  private static final int ANSWERS_IN_A_STEP = 20;

  @TempDir Path models;
  private final Random random = new Random(SEED);
  private final List<String> done = new ArrayList<>();

  @Test
  void noRequestFailsWhileVersionsComeAndGoAsLongAsOneIsGood() throws Exception {
    copy(1);
    var stop = new AtomicBoolean();
    var answers = new AtomicLong();
    Queue<String> failures = new ConcurrentLinkedQueue<>();
    try (var server =
            RunningServer.start(
                RunningServer.settings(
                    RunningServer.LISTENER,
                    RepositoryConfig.of(new WantedModels(models, Map.of()), POLL)));
        ExecutorService clients = Executors.newFixedThreadPool(2)) {
      Future<?> asked = clients.submit(() -> ask(server, stop, answers, failures));
      try {
        for (int step = 0; step < STEPS && failures.isEmpty(); step++) {
          change();
          awaitAnswers(answers, asked);
        }
      } finally {
        stop.set(true);
      }
      asked.get();
      assertThat(failures).as("seed %d, %s", SEED, done).isEmpty();
    }
  }

  private static void ask(
      RunningServer server, AtomicBoolean stop, AtomicLong answers, Queue<String> failures) {
    try (var http = new HttpCaller(server.port())) {
      while (!stop.get() && failures.isEmpty()) {
        var answer =
            http.send("POST", "/v1/models/m:predict", Buffer.buffer("{\"instances\":[1.0]}"));
        if (answer.status() == 200 && answer.text().contains("2.5")) {
          answers.incrementAndGet();
        } else {
          failures.add(answer.status() + " " + answer.text());
        }
      }
    }
  }

  /** Waits for so many answers that the folders were looked at in between. */
  private static void awaitAnswers(AtomicLong answers, Future<?> asked) {
    long enough = answers.get() + ANSWERS_IN_A_STEP;
    long end = System.nanoTime() + 3 * POLL.toNanos();
    while ((answers.get() < enough || System.nanoTime() < end) && !asked.isDone()) {
      Thread.onSpinWait();
    }
  }

  private void change() throws IOException {
    int version = 2 + random.nextInt(3);
    int kind = random.nextInt(5);
    done.add(
        version + " " + List.of("copy", "piece", "truncate", "delete one", "delete").get(kind));
    switch (kind) {
      case 0 -> copy(version);
      case 1 -> copyPiece(version);
      case 2 -> truncate(version);
      case 3 -> deleteOne(version);
      default -> delete(version);
    }
  }

  private Path folder(int version) {
    return models.resolve("m").resolve(Integer.toString(version));
  }

  private void copy(int version) throws IOException {
    for (Path file : files(SAVED)) {
      write(file, folder(version).resolve(SAVED.relativize(file)), 1);
    }
  }

  /** The copy has stopped after one file, or in the middle of it. */
  private void copyPiece(int version) throws IOException {
    List<Path> files = files(SAVED);
    Path file = files.get(random.nextInt(files.size()));
    write(file, folder(version).resolve(SAVED.relativize(file)), random.nextDouble());
  }

  private static void write(Path from, Path to, double part) throws IOException {
    Files.createDirectories(to.getParent());
    byte[] bytes = Files.readAllBytes(from);
    try (var out =
        FileChannel.open(
            to,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      out.write(ByteBuffer.wrap(bytes, 0, (int) (bytes.length * part)));
    }
  }

  private void truncate(int version) throws IOException {
    List<Path> files = files(folder(version));
    if (!files.isEmpty()) {
      Path file = files.get(random.nextInt(files.size()));
      try (var out = FileChannel.open(file, StandardOpenOption.WRITE)) {
        out.truncate((long) (Files.size(file) * random.nextDouble()));
      }
    }
  }

  private void deleteOne(int version) throws IOException {
    List<Path> files = files(folder(version));
    if (!files.isEmpty()) {
      Files.delete(files.get(random.nextInt(files.size())));
    }
  }

  private void delete(int version) throws IOException {
    if (Files.exists(folder(version))) {
      try (Stream<Path> all = Files.walk(folder(version))) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private static List<Path> files(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
