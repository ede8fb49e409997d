package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.PredictClient;
import dev.sluice.testing.PredictClient.Protocol;
import dev.sluice.testing.RunningServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows by every protocol at once, joined, get the very numbers that they get alone. All numbers are
 * small and whole, so that no order of additions changes a bit of the result.
 */
class JoinedRequestsIT {
  /** How many requests to send: more for an endurance test. */
  private static final int REQUESTS = Integer.getInteger("sluice.test.joined.requests", 10_000);

  private static final int CALLERS = 12;
  private static final int MOST_ROWS = 8;
  private static final int WIDTH = 6;
  private static final int CLASSES = 3;
  private static final int ONE_IN_SO_MANY_IS_BAD = 20;
  private static final float[] WEIGHTS = weights();

  /** The models, each of which joins in its own way, or not at all. */
  private static final List<String> MODELS =
      List.of("eager", "patient", "padded", "inline", "single");

  @TempDir Path models;
  private RunningServer server;
  private PredictClient client;

  private static float[] weights() {
    float[] weights = new float[WIDTH * CLASSES];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = i * 7 % 11 - 5;
    }
    return weights;
  }

  @BeforeEach
  void open() throws IOException {
    write("eager", "max_batch_size: 16\n");
    write("patient", "max_batch_size: 16\nmax_queue_delay: 2ms\ninstances: 2\nconcurrency: 2\n");
    write("padded", "max_batch_size: 16\nallowed_batch_sizes: [4, 16]\n");
    write("inline", "max_batch_size: 16\ninline_limit: 1ms\n");
    write("single", "inline_limit: 1ms\nconcurrency: 4\n");
    server = RunningServer.start(models);
    client = new PredictClient(server);
  }

  private void write(String name, String settings) throws IOException {
    Path model = models.resolve(name);
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "rows", Integer.toString(WIDTH))
        .matrix("w", WIDTH, CLASSES, WEIGHTS)
        .initializer("b", 1, -2, 3)
        .output("y", OnnxModelWriter.FLOAT, "rows", Integer.toString(CLASSES))
        .node("MatMul", "product", "x", "w")
        .node("Add", "sum", "product", "b")
        .node("Relu", "y", "sum")
        .writeTo(Files.createDirectories(model.resolve("1")));
    Files.writeString(model.resolve("model.yml"), settings);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    client.close();
    server.close();
  }

  @Test
  void rowsByEveryProtocolAtOnceGetTheSameBytesAsAlone() throws Exception {
    List<Future<?>> callers = new ArrayList<>();
    try (var threads = Executors.newFixedThreadPool(CALLERS)) {
      for (int i = 0; i < CALLERS; i++) {
        var random = new Random(i);
        callers.add(threads.submit(() -> call(random)));
      }
    }
    for (Future<?> caller : callers) {
      try {
        caller.get();
      } catch (ExecutionException e) {
        throw new AssertionError("a caller got a wrong answer", e.getCause());
      }
    }
  }

  private Void call(Random random) throws Exception {
    Protocol[] protocols = Protocol.values();
    for (int i = 0; i < REQUESTS / CALLERS; i++) {
      Protocol protocol = protocols[random.nextInt(protocols.length)];
      String model = MODELS.get(random.nextInt(MODELS.size()));
      int rows = 1 + random.nextInt(MOST_ROWS);
      if (random.nextInt(ONE_IN_SO_MANY_IS_BAD) == 0) {
        float[] misfit = numbers(random, rows * (WIDTH + 1));
        assertThatThrownBy(() -> client.ask(protocol, model, misfit, rows, WIDTH + 1))
            .hasMessageMatching("(?s)(400|INVALID_ARGUMENT).*");
      } else {
        float[] x = numbers(random, rows * WIDTH);
        assertThat(client.ask(protocol, model, x, rows, WIDTH).getFirst())
            .containsExactly(alone(x, rows));
      }
    }
    return null;
  }

  private static float[] numbers(Random random, int count) {
    float[] x = new float[count];
    for (int i = 0; i < x.length; i++) {
      x[i] = random.nextInt(33) - 16;
    }
    return x;
  }

  private static float[] alone(float[] x, int rows) {
    float[] bias = {1, -2, 3};
    float[] y = new float[rows * CLASSES];
    for (int i = 0; i < y.length; i++) {
      float sum = bias[i % CLASSES];
      for (int j = 0; j < WIDTH; j++) {
        sum += x[i / CLASSES * WIDTH + j] * WEIGHTS[j * CLASSES + i % CLASSES];
      }
      y[i] = Math.max(0, sum);
    }
    return y;
  }
}
