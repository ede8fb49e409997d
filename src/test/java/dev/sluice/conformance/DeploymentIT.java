package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyRequest;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A tool that deploys copies, pauses, truncates, deletes and restores versions at random while
 * clients ask. One version is good, now this one, now that; whatever happens to the others, newer
 * and older, no request of any protocol fails or finds the model or the server not ready.
 *
 * <p>{@code -Dsluice.deployment.steps} and {@code -Dsluice.deployment.seconds} make it longer;
 * {@code -Dsluice.deployment.seed} is printed when it fails.
 */
class DeploymentIT {
  private static final Logger LOG = LoggerFactory.getLogger(DeploymentIT.class);
  private static final Path SAVED = Path.of("src/test/models/tfs/half_plus_two/00000123");
  private static final int STEPS = Integer.getInteger("sluice.deployment.steps", 60);
  private static final long LEAST_NANOS =
      Duration.ofSeconds(Integer.getInteger("sluice.deployment.seconds", 0)).toNanos();
  private static final long SEED = Long.getLong("sluice.deployment.seed", 16);

  private static final int VERSIONS = 4;
  private static final int WEIGHTS = 32;

  private static final Duration POLL = Duration.ofMillis(10);

  /** What a client gets between two steps, so that the server has looked meanwhile. */
  private static final int ANSWERS_IN_A_STEP = 3;

  /** One step in so many is followed by a pause, in which the server loads what it found. */
  private static final int STEPS_TO_A_PAUSE = 10;

  private static final int ANSWERS_IN_A_PAUSE = 60;

  private static final String GRPS = "{\"model\":\"m\",\"ndarray\":[1.0]}";
  private static final String V2 =
      "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[1,1],\"data\":[1.0]}]}";
  private static final PredictRequest PREDICT =
      PredictRequest.newBuilder()
          .setModelSpec(ModelSpec.newBuilder().setName("m"))
          .putInputs(
              "x",
              TensorProto.newBuilder()
                  .setDtype(DataType.DT_FLOAT)
                  .setTensorShape(
                      TensorShapeProto.newBuilder()
                          .addDim(TensorShapeProto.Dim.newBuilder().setSize(1)))
                  .addFloatVal(1)
                  .build())
          .build();

  /** What a version is made of. */
  enum Format {
    SAVED_MODEL,
    /** With its weights in a file beside it. */
    ONNX
  }

  @TempDir Path models;
  @TempDir Path written;
  private Path source = SAVED;

  /** The version that nothing happens to now; older and newer ones come and go. */
  private int good = 2;

  private final Random random = new Random(SEED);
  private final List<String> done = new ArrayList<>();

  @ParameterizedTest
  @EnumSource(Format.class)
  void noRequestFailsWhileVersionsComeAndGoAsLongAsOneIsGood(Format format) throws Exception {
    if (format == Format.ONNX) {
      source = writeOnnx();
    }
    copy(good);
    var stop = new AtomicBoolean();
    var answers = new AtomicLong();
    Queue<String> failures = new ConcurrentLinkedQueue<>();
    try (var server =
            RunningServer.start(
                RunningServer.settings(
                    RunningServer.LISTENER,
                    RepositoryConfig.of(new DesiredModels(models, Map.of()), POLL)));
        ExecutorService clients = Executors.newFixedThreadPool(2)) {
      Future<?> asked = clients.submit(() -> ask(server, stop, answers, failures));
      try {
        long begun = System.nanoTime();
        for (int step = 0;
            (step < STEPS || System.nanoTime() - begun < LEAST_NANOS) && failures.isEmpty();
            step++) {
          change();
          awaitAnswers(answers, asked);
        }
      } finally {
        stop.set(true);
      }
      asked.get();
      LOG.atInfo()
          .addKeyValue("steps", done.size())
          .addKeyValue("rounds", answers.get())
          .log("versions came and went");
      assertThat(failures).as("seed %d, version %d is good, %s", SEED, good, done).isEmpty();
    }
  }

  private static void ask(
      RunningServer server, AtomicBoolean stop, AtomicLong answers, Queue<String> failures) {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    try (var http = new HttpCaller(server.port())) {
      while (!stop.get() && failures.isEmpty()) {
        expect(http, "POST", "/v1/models/m:predict", "{\"instances\":[1.0]}", failures);
        expect(http, "GET", "/v2/health/ready", "", failures);
        expect(http, "GET", "/v2/models/m/ready", "", failures);
        expect(http, "POST", "/grps/v1/infer/predict", GRPS, failures);
        expect(http, "POST", "/v2/models/m/infer", V2, failures);
        expectOverGrpc(channel, failures);
        answers.incrementAndGet();
      }
    } finally {
      channel.shutdownNow();
    }
  }

  private static void expect(
      HttpCaller http, String method, String path, String body, Queue<String> failures) {
    var headers = HttpHeaders.headers();
    if (!body.isEmpty()) {
      headers.add("Content-Type", "application/json");
    }
    var answer = http.send(method, path, headers, Buffer.buffer(body));
    if (answer.status() != 200 || !(body.isEmpty() || answer.text().contains("2.5"))) {
      failures.add(method + " " + path + ": " + answer.status() + " " + answer.text());
    }
  }

  private static void expectOverGrpc(ManagedChannel channel, Queue<String> failures) {
    try {
      PredictionServiceGrpc.newBlockingStub(channel).predict(PREDICT);
      boolean ready =
          GRPCInferenceServiceGrpc.newBlockingStub(channel)
              .modelReady(ModelReadyRequest.newBuilder().setName("m").build())
              .getReady();
      if (!ready) {
        failures.add("ModelReady: false");
      }
    } catch (StatusRuntimeException e) {
      failures.add("gRPC: " + e.getStatus());
    }
  }

  /** Waits for so many answers that the folders were looked at in between. */
  private void awaitAnswers(AtomicLong answers, Future<?> asked) {
    boolean pause = random.nextInt(STEPS_TO_A_PAUSE) == 0;
    long enough = answers.get() + (pause ? ANSWERS_IN_A_PAUSE : ANSWERS_IN_A_STEP);
    long end = System.nanoTime() + 3 * POLL.toNanos();
    while ((answers.get() < enough || System.nanoTime() < end) && !asked.isDone()) {
      Thread.onSpinWait();
    }
  }

  /** Writes x / 2 + 2, where the 2 is the least of the bytes in the file of weights. */
  private Path writeOnnx() throws IOException {
    new OnnxModelWriter()
        .inputOfUnknownRank("x", OnnxModelWriter.FLOAT)
        .outputOfUnknownRank("y", OnnxModelWriter.FLOAT)
        .external("weights", WEIGHTS, Map.of("location", "weights.bin"))
        .initializer("half", 0.5f)
        .node("", "Cast", Map.of("to", 1L), List.of("numbers"), "weights")
        .node("ReduceMin", "two", "numbers")
        .node("Mul", "product", "x", "half")
        .node("Add", "y", "product", "two")
        .writeTo(written);
    byte[] twos = new byte[WEIGHTS];
    Arrays.fill(twos, (byte) 2);
    Files.write(written.resolve("weights.bin"), twos);
    return written;
  }

  private void change() throws IOException {
    int version = 1 + (good + random.nextInt(VERSIONS - 1)) % VERSIONS;
    Step step = Step.values()[random.nextInt(Step.values().length)];
    done.add(version + " " + step);
    switch (step) {
      case COPY -> copy(version);
      case COPY_PIECE -> copyPiece(version);
      case TRUNCATE -> truncate(version);
      case DELETE_ONE -> deleteOne(version);
      case DELETE -> delete(version);
      case CHANGE_GOOD_ONE -> {
        copy(version);
        good = version;
      }
    }
  }

  private enum Step {
    COPY,
    COPY_PIECE,
    TRUNCATE,
    DELETE_ONE,
    DELETE,
    /** Copies a version, which is the good one from now on. */
    CHANGE_GOOD_ONE
  }

  private Path folder(int version) {
    return models.resolve("m").resolve(Integer.toString(version));
  }

  private void copy(int version) throws IOException {
    for (Path file : files(source)) {
      write(file, folder(version).resolve(source.relativize(file)), 1);
    }
  }

  /** The copy has stopped after one file, or in the middle of it. */
  private void copyPiece(int version) throws IOException {
    List<Path> files = files(source);
    Path file = files.get(random.nextInt(files.size()));
    write(file, folder(version).resolve(source.relativize(file)), random.nextDouble());
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
