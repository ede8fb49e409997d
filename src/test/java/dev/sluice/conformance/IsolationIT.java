package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.PredictClient;
import dev.sluice.testing.PredictClient.Protocol;
import dev.sluice.testing.RecycledBlocks;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SavedModelWriter;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Models that hand their inputs through, asked by every protocol, while neighbours ask the same
 * models with other data, leave before they are answered, and fill recycled memory: each answer has
 * the bits of its own request. No two requests of this class send the same number.
 */
@Timeout(120)
class IsolationIT {
  private static final int WIDTH = 4;
  private static final int MOST_ROWS = 6;
  private static final int REQUESTS = 24;

  /** Rows of an answer that is too long to be sent at once. */
  private static final int MANY_ROWS = 50_000;

  /** The server closes a connection that resets many more calls. */
  private static final int RESETS_OF_A_CONNECTION = 50;

  private static final List<String> MODELS =
      List.of(
          "itself",
          "joined",
          "padded",
          "inline",
          "cached",
          "chain",
          "joined_chain",
          "identity",
          "joined_identity",
          "variable");

  @TempDir private static Path models;
  private static final AtomicLong lastNumber = new AtomicLong();
  private static final AtomicBoolean ended = new AtomicBoolean();
  private static final List<Future<Void>> neighbours = new ArrayList<>();
  private static RunningServer server;
  private static PredictClient client;
  private static ExecutorService threads;

  @BeforeAll
  static void start() throws IOException {
    onnx("itself", "inline_limit: 0s\n");
    onnx("joined", "max_batch_size: 16\nmax_queue_delay: 1ms\n");
    onnx("padded", "max_batch_size: 16\nallowed_batch_sizes: [4, 16]\n");
    onnx("inline", "max_batch_size: 16\ninline_limit: 1ms\n");
    onnx("cached", "response_cache: true\n");
    chain("chain", "", "itself");
    chain("joined_chain", "max_batch_size: 16\n", "joined");
    var identity = new SavedModelWriter().input("x", WIDTH).identity("y", "x").output("y", WIDTH);
    identity.identity("z", "y").output("z", WIDTH);
    identity.writeTo(model("identity", "concurrency: 2\n"));
    identity.writeTo(model("joined_identity", "max_batch_size: 16\n"));
    new SavedModelWriter()
        .input("x", WIDTH)
        .assignAndRead("y", "x")
        .output("y", WIDTH)
        .writeTo(model("variable", "warmup: false\n"));
    key();
    kept();
    table();
    server = RunningServer.start(models);
    assertThat(server.control().ready()).isTrue();
    client = new PredictClient(server);
    threads = Executors.newCachedThreadPool();
    neighbours.add(threads.submit(() -> asking(1)));
    neighbours.add(threads.submit(() -> asking(2)));
    neighbours.add(threads.submit(IsolationIT::leaving));
  }

  /** Has its input x, and copies of it, as outputs. */
  private static void onnx(String name, String settings) throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "rows", "4")
        .output("x", OnnxModelWriter.FLOAT, "rows", "4")
        .output("y", OnnxModelWriter.FLOAT, "rows", "4")
        .output("z", OnnxModelWriter.FLOAT, "rows", "4")
        .node("Identity", "y", "x")
        .node("Relu", "z", "x")
        .writeTo(model(name, settings));
  }

  private static void chain(String name, String settings, String step) throws IOException {
    model(
        name,
        settings
            + """
            ensemble:
              outputs: [y, z]
              steps:
                - { model: %1$s, inputs: { x: x }, outputs: { x: between } }
                - { model: %1$s, inputs: { x: between }, outputs: { x: y, y: z } }
            """
                .formatted(step));
  }

  /** A stream that hands its key from step to step. */
  private static void key() throws IOException {
    new OnnxModelWriter()
        .input("key", OnnxModelWriter.FLOAT, "batch", "1")
        .input("n", OnnxModelWriter.FLOAT, "batch", "1")
        .output("key", OnnxModelWriter.FLOAT, "batch", "1")
        .output("m", OnnxModelWriter.FLOAT, "batch", "1")
        .initializer("one", 1)
        .node("Add", "m", "n", "one")
        .writeTo(
            model(
                "key",
                """
                max_batch_size: 8
                stream:
                  feedback: { key: key, m: n }
                  emit: [key]
                  stop: { steps: 5 }
                """));
  }

  /** A sequence whose state is what its first request sent, handed through. */
  private static void kept() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "batch", "1")
        .input("before", OnnxModelWriter.FLOAT, "batch", "1")
        .output("before", OnnxModelWriter.FLOAT, "batch", "1")
        .output("after", OnnxModelWriter.FLOAT, "batch", "1")
        .node("Max", "after", "x", "before")
        .writeTo(
            model(
                "kept",
                """
                max_batch_size: 8
                sequence: { max_idle: 1m, state: [{ output: after, input: before }] }
                """));
  }

  /** Looks places up in a table that comes with them. Rows of tables are no rows of a batch. */
  private static void table() throws IOException {
    new OnnxModelWriter()
        .input("table", OnnxModelWriter.FLOAT, "entries", "1")
        .input("at", OnnxModelWriter.INT64, "batch")
        .output("found", OnnxModelWriter.FLOAT, "batch", "1")
        .nodeAlong(0, "Gather", "found", "table", "at")
        .writeTo(model("table", "max_batch_size: 16\nmax_queue_delay: 2ms\n"));
  }

  private static Path model(String name, String settings) throws IOException {
    Path folder = Files.createDirectories(models.resolve(name).resolve("1"));
    Files.writeString(models.resolve(name).resolve("model.yml"), settings);
    return folder;
  }

  @AfterAll
  static void stop() throws Exception {
    ended.set(true);
    for (Future<Void> neighbour : neighbours) {
      neighbour.get(1, TimeUnit.MINUTES);
    }
    threads.shutdownNow();
    client.close();
    server.close();
  }

  /** Numbers that no other request sends; floats hold all of them. */
  private static float[] numbers(int rows) {
    float[] x = new float[rows * WIDTH];
    long first = lastNumber.getAndAdd(x.length);
    for (int i = 0; i < x.length; i++) {
      x[i] = Float.intBitsToFloat((int) (0x3F00_0000 + (first + i) % 0x0100_0000));
    }
    return x;
  }

  private static void check(Protocol protocol, String model, int rows) throws Exception {
    float[] x = numbers(rows);
    List<float[]> outputs = client.ask(protocol, model, x, rows, WIDTH);
    assertThat(outputs).isNotEmpty();
    for (float[] output : outputs) {
      assertThat(output).as("%s by %s", model, protocol).containsExactly(x);
    }
  }

  private static Void asking(int seed) throws Exception {
    var random = new Random(seed);
    Protocol[] protocols = Protocol.values();
    while (!ended.get()) {
      RecycledBlocks.fill();
      Protocol protocol = protocols[random.nextInt(protocols.length)];
      check(protocol, MODELS.get(random.nextInt(MODELS.size())), 1 + random.nextInt(MOST_ROWS));
    }
    return null;
  }

  /** Resets calls by gRPC and connections by HTTP, some before and some in their answers. */
  private static Void leaving() throws Exception {
    var random = new Random(3);
    while (!ended.get()) {
      try (var leaver = new PredictClient(server)) {
        for (int i = 0; i < RESETS_OF_A_CONNECTION; i++) {
          String model = MODELS.get(random.nextInt(MODELS.size()));
          leave(leaver, model, i == 0 ? MANY_ROWS : 1 + random.nextInt(MOST_ROWS));
          check(Protocol.V2_GRPC_RAW, model, 1 + random.nextInt(MOST_ROWS));
        }
      }
    }
    return null;
  }

  private static void leave(PredictClient leaver, String model, int rows) throws IOException {
    var call =
        GRPCInferenceServiceGrpc.newFutureStub(leaver.channel())
            .modelInfer(request(model, numbers(rows)));
    try (var socket = new Socket("localhost", server.port())) {
      socket.setSoLinger(true, 0);
      socket.getOutputStream().write(http(model, numbers(rows)));
      call.cancel(true);
    }
  }

  private static ModelInferRequest request(String model, float[] x) {
    var raw = ByteString.newOutput(x.length * 4);
    for (float value : x) {
      int bits = Float.floatToIntBits(value);
      for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
        raw.write(bits >>> shift);
      }
    }
    var request = ModelInferRequest.newBuilder().setModelName(model);
    request
        .addInputsBuilder()
        .setName("x")
        .setDatatype("FP32")
        .addShape(x.length / WIDTH)
        .addShape(WIDTH);
    return request.addRawInputContents(raw.toByteString()).build();
  }

  private static byte[] http(String model, float[] x) {
    String body =
        "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[%d,4],\"data\":%s}]}"
            .formatted(x.length / WIDTH, Arrays.toString(x));
    return "POST /v2/models/%s/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(model, body.length(), body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  static Stream<Arguments> modelsByProtocols() {
    return MODELS.stream()
        .flatMap(
            model -> Stream.of(Protocol.values()).map(protocol -> Arguments.of(model, protocol)));
  }

  @ParameterizedTest(name = "{0} by {1}")
  @MethodSource("modelsByProtocols")
  void anAnswerHasTheBitsOfItsOwnRequest(String model, Protocol protocol) throws Exception {
    for (int i = 0; i < REQUESTS; i++) {
      check(protocol, model, 1 + i % MOST_ROWS);
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"V1_ROWS", "V1_COLUMNS"})
  void valuesThatAreFewerOrMoreThanTheShapeSaysAreNeverCompletedFromMemory(Protocol protocol)
      throws Exception {
    for (String model : List.of("itself", "joined", "joined_chain", "identity")) {
      for (int count : List.of(0, 1, 2 * WIDTH - 1, 2 * WIDTH + 1, 3 * WIDTH)) {
        float[] x = Arrays.copyOf(numbers(3), count);
        if (isFilled(protocol, count)) {
          for (float[] output : client.ask(protocol, model, x, 2, WIDTH)) {
            assertThat(output).containsExactly(filled(x));
          }
        } else {
          assertThatThrownBy(() -> client.ask(protocol, model, x, 2, WIDTH))
              .as("%d values for %s", count, model)
              .hasMessageMatching("(?s)(400|INVALID_ARGUMENT).*");
        }
      }
    }
  }

  /**
   * Whether TensorFlow's rule for lists holds: the last value stands for those that are missing,
   * and what is too much is ignored.
   */
  private static boolean isFilled(Protocol protocol, int count) {
    return switch (protocol) {
      case TFS_VALUES -> true;
      case TFS_CONTENT -> count == 0;
      default -> false;
    };
  }

  private static float[] filled(float[] x) {
    float[] filled = Arrays.copyOf(x, 2 * WIDTH);
    if (x.length > 0 && x.length < filled.length) {
      Arrays.fill(filled, x.length, filled.length, x[x.length - 1]);
    }
    return filled;
  }

  @Test
  void aStreamCarriesItsOwnKeyFromStepToStep() throws Exception {
    for (int i = 0; i < REQUESTS; i++) {
      List<Callable<List<String>>> streams = new ArrayList<>();
      for (int j = 0; j < 8; j++) {
        int key = i * 8 + j + 1;
        streams.add(() -> stream(key));
      }
      int key = i * 8;
      for (Future<List<String>> keys : threads.invokeAll(streams)) {
        key++;
        assertThat(keys.get()).hasSize(5).containsOnly(key + ".0");
      }
    }
  }

  private static List<String> stream(int key) throws Exception {
    String events =
        client.post("/v2/models/key/generate_stream", "{\"key\":%d,\"n\":0}".formatted(key));
    return Pattern.compile("\"key\":\\[*([0-9.]+)")
        .matcher(events)
        .results()
        .map(m -> m.group(1))
        .toList();
  }

  @Test
  void aTableIsThatOfTheRequestThatLooksIntoIt() throws Exception {
    List<Callable<String>> calls = new ArrayList<>();
    for (int i = 0; i < 8 * REQUESTS; i++) {
      String body =
          """
          {"inputs":[{"name":"table","datatype":"FP32","shape":[2,1],"data":[%d,0]},
                     {"name":"at","datatype":"INT64","shape":[2],"data":[0,0]}]}
          """
              .formatted(i);
      calls.add(() -> client.post("/v2/models/table/infer", body));
    }
    int number = 0;
    for (Future<String> answer : threads.invokeAll(calls)) {
      assertThat(answer.get()).contains("\"data\":[%1$d.0,%1$d.0]".formatted(number++));
    }
  }

  @Test
  void aSequenceSeesTheStateOfItsOwnRequests() throws Exception {
    List<Callable<Void>> sequences = new ArrayList<>();
    for (int i = 1; i <= 8; i++) {
      int number = i;
      sequences.add(() -> sequence(number));
    }
    for (Future<Void> sequence : threads.invokeAll(sequences)) {
      sequence.get();
    }
  }

  private static Void sequence(int number) throws Exception {
    for (int step = 0; step < REQUESTS; step++) {
      String answer =
          client.post(
              "/v2/models/kept/infer",
              """
              {"inputs":[{"name":"x","datatype":"FP32","shape":[1,1],"data":[%d]}],
               "parameters":{"sequence_id":%d,"sequence_start":%b,"sequence_end":%b}}
              """
                  .formatted(1000 * number + step, number, step == 0, step == REQUESTS - 1));
      assertThat(answer).contains("[%d.0]".formatted(step == 0 ? 0 : 1000 * number + step - 1));
    }
    return null;
  }

  @Test
  void anAnswerFromTheCacheIsTheOneToTheSameValues() throws Exception {
    for (int i = 0; i < REQUESTS; i++) {
      float[] x = numbers(3);
      for (Protocol protocol : Protocol.values()) {
        for (float[] output : client.ask(protocol, "cached", x, 3, WIDTH)) {
          assertThat(output).containsExactly(x);
        }
      }
    }
  }
}
