package dev.sluice.benchmark;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.Lookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * What streams cost: a step function of two products run in a loop, by hand over the bare runtime,
 * as one stream, and as sixteen, in turns in one process. Prints medians. {@code java
 * dev.sluice.benchmark.StreamRates}, with the tests' class path and the runtimes' libraries.
 */
public final class StreamRates {
  private static final int WIDTH = 512;
  private static final int HIDDEN = 1_024;
  private static final int STEPS = 500;
  private static final int ROUNDS = 9;
  private static final int TOGETHER = 16;
  private static final double NANOS = 1e9;

  private final RunningServer server;
  private final ModelSession bare;
  private final Context home;
  private final HttpClient client;

  private StreamRates(RunningServer server, ModelSession bare, Vertx vertx) {
    this.server = server;
    this.bare = bare;
    this.home = vertx.getOrCreateContext();
    this.client = vertx.createHttpClient();
  }

  /** Measures and prints. */
  public static void main(String[] args) throws IOException {
    Path models = Files.createTempDirectory("stream-rates");
    Path folder = Files.createDirectories(models.resolve("step"));
    write(folder);
    Vertx vertx = Vertx.vertx();
    try (RunningServer server = RunningServer.start(models);
        ModelSession bare = StepModels.open(folder)) {
      new StreamRates(server, bare, vertx).run();
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private static void write(Path folder) throws IOException {
    var random = new SplittableRandom(1);
    String width = Integer.toString(WIDTH);
    new OnnxModelWriter()
        .input("h", OnnxModelWriter.FLOAT, "batch", width)
        .output("state", OnnxModelWriter.FLOAT, "batch", width)
        .output("y", OnnxModelWriter.FLOAT, "batch", "1")
        .matrix("in", WIDTH, HIDDEN, small(random, WIDTH * HIDDEN))
        .matrix("out", HIDDEN, WIDTH, small(random, WIDTH * HIDDEN))
        .matrix("head", WIDTH, 1, small(random, WIDTH))
        .node("MatMul", "a", "h", "in")
        .node("Relu", "b", "a")
        .node("MatMul", "c", "b", "out")
        .node("Tanh", "state", "c")
        .node("MatMul", "y", "state", "head")
        .writeTo(folder);
    Files.writeString(
        folder.resolve("model.yml"),
        "max_batch_size: %d\nstream: { feedback: { state: h }, stop: { steps: %d } }\n"
            .formatted(TOGETHER, STEPS));
  }

  private static float[] small(SplittableRandom random, int count) {
    var values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) random.nextDouble(-0.05, 0.05);
    }
    return values;
  }

  private void run() {
    double[] loops = new double[ROUNDS];
    double[] ceilings = new double[ROUNDS];
    double[] ones = new double[ROUNDS];
    double[] overHttp = new double[ROUNDS];
    double[] joined = new double[ROUNDS];
    double[] firsts = new double[ROUNDS];
    loop(1);
    loop(TOGETHER);
    streams(1);
    streams(TOGETHER);
    for (int i = 0; i < ROUNDS; i++) {
      loops[i] = loop(1);
      ceilings[i] = loop(TOGETHER);
      var one = streams(1);
      ones[i] = one.rate();
      firsts[i] = one.firstMicros();
      overHttp[i] = http();
      joined[i] = streams(TOGETHER).rate();
    }
    double loop = median(loops);
    double one = median(ones);
    print("bare loop", loop, 1);
    print("one stream", one, one / loop);
    print("one stream over HTTP", median(overHttp), median(overHttp) / loop);
    print(TOGETHER + " streams", median(joined), median(joined) / one);
    print("bare loop, " + TOGETHER + " rows", median(ceilings), median(ceilings) / loop);
    System.out.printf(
        "time to first chunk %.0f us, of which a step is %.0f us%n",
        median(firsts), NANOS / 1_000 / loop);
  }

  private static void print(String what, double rate, double ratio) {
    System.out.printf("%-22s %8.0f steps/s  %.2f%n", what, rate, ratio);
  }

  private static double median(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static Tensor begin(int rows) {
    Tensor tensor = Tensor.allocate(DataType.FP32, Shape.of(rows, WIDTH));
    tensor.data().fill((byte) 0);
    return tensor;
  }

  /** Steps of all rows in a second. */
  private double loop(int rows) {
    Signature signature = only(bare.metadata());
    Tensor h = begin(rows);
    long before = System.nanoTime();
    for (int i = 0; i < STEPS; i++) {
      List<NamedTensor> outputs =
          bare.run(signature, List.of(new NamedTensor("h", h)), signature.outputs());
      h.close();
      h = outputs.getFirst().tensor();
      outputs.getLast().close();
    }
    double rate = rows * STEPS * NANOS / (System.nanoTime() - before);
    h.close();
    return rate;
  }

  /** What several streams did together. */
  private record Measured(double rate, double firstMicros) {}

  private Measured streams(int count) {
    var readers = new ArrayList<Reader>();
    long before = System.nanoTime();
    for (int i = 0; i < count; i++) {
      readers.add(new Reader());
    }
    home.runOnContext(_ -> readers.forEach(reader -> server.data().inferStream(request(), reader)));
    readers.forEach(reader -> reader.ended.join());
    double rate = (double) count * STEPS * NANOS / (System.nanoTime() - before);
    return new Measured(rate, (readers.getFirst().first - before) / 1_000.0);
  }

  private static Signature only(ModelMetadata model) {
    return Objects.requireNonNull(model.signatures().get(Signature.DEFAULT));
  }

  private InferenceRequest request() {
    if (!(server.data().find(new ModelSelector.Latest("step"))
        instanceof Lookup.Found(var model))) {
      throw new IllegalStateException("the model is not there");
    }
    return new InferenceRequest(
        model,
        only(model.metadata()),
        List.of(new NamedTensor("h", begin(1))),
        List.of(),
        Deadline.NONE,
        "benchmark");
  }

  private double http() {
    long before = System.nanoTime();
    client
        .request(HttpMethod.POST, server.port(), "localhost", "/v2/models/step/generate_stream")
        .compose(request -> request.send(Buffer.buffer("{}")))
        .compose(HttpClientResponse::body)
        .toCompletionStage()
        .toCompletableFuture()
        .join();
    return STEPS * NANOS / (System.nanoTime() - before);
  }

  /** Reads as fast as it comes. */
  private static final class Reader implements Flow.Subscriber<InferenceResponse> {
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;
    private long first;

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(8);
    }

    @Override
    public void onNext(InferenceResponse response) {
      if (first == 0) {
        first = System.nanoTime();
      }
      response.close();
      Objects.requireNonNull(subscription).request(1);
    }

    @Override
    public void onError(Throwable failure) {
      ended.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      ended.complete(true);
    }
  }
}
