package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
 * Rows from every door at once, joined, get the very numbers that they get alone. All numbers are
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
  private static final JsonMapper JSON = new JsonMapper();

  /** The models, each of which joins in its own way, or not at all. */
  private static final List<String> MODELS =
      List.of("eager", "patient", "padded", "inline", "single");

  @TempDir Path models;
  private long blocksBefore;
  private RunningServer server;
  private HttpClient http;
  private ManagedChannel channel;

  /** Asks for the answer to rows of a width, in one protocol's way. */
  private interface Door {
    float[] ask(String model, float[] x, int rows, int width) throws Exception;
  }

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
    write("patient", "max_batch_size: 16\nmax_queue_delay: 2ms\ninstances: 2\n");
    write("padded", "max_batch_size: 16\nallowed_batch_sizes: [4, 16]\n");
    write("inline", "max_batch_size: 16\ninline_limit: 1ms\n");
    write("single", "inline_limit: 1ms\ninstances: 2\n");
    blocksBefore = TensorMemory.openBlocks();
    server = RunningServer.start(models);
    http = HttpClient.newHttpClient();
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
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
    channel.shutdownNow();
    http.close();
    server.close();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  @Test
  void rowsFromEveryDoorAtOnceGetTheSameBytesAsAlone() throws Exception {
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
    List<Door> doors =
        List.of(
            this::v1, this::v2, this::v2Binary, this::grps, this::oip, this::tfs, this::grpsRpc);
    for (int i = 0; i < REQUESTS / CALLERS; i++) {
      Door door = doors.get(random.nextInt(doors.size()));
      String model = MODELS.get(random.nextInt(MODELS.size()));
      int rows = 1 + random.nextInt(MOST_ROWS);
      if (random.nextInt(ONE_IN_SO_MANY_IS_BAD) == 0) {
        float[] misfit = numbers(random, rows * (WIDTH + 1));
        assertThatThrownBy(() -> door.ask(model, misfit, rows, WIDTH + 1))
            .hasMessageMatching("(?s)(400|INVALID_ARGUMENT).*");
      } else {
        float[] x = numbers(random, rows * WIDTH);
        assertThat(door.ask(model, x, rows, WIDTH)).containsExactly(alone(x, rows));
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

  private float[] v1(String model, float[] x, int rows, int width) throws Exception {
    List<String> instances = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      instances.add(Arrays.toString(Arrays.copyOfRange(x, i * width, (i + 1) * width)));
    }
    String body = "{\"instances\":" + instances + "}";
    return flat(post("/v1/models/" + model + ":predict", body.getBytes(UTF_8), -1), "/predictions");
  }

  private float[] v2(String model, float[] x, int rows, int width) throws Exception {
    String body =
        "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[%d,%d],\"data\":%s}]}"
            .formatted(rows, width, Arrays.toString(x));
    byte[] answer = post("/v2/models/" + model + "/infer", body.getBytes(UTF_8), -1);
    return flat(answer, "/outputs/0/data");
  }

  private float[] v2Binary(String model, float[] x, int rows, int width) throws Exception {
    String head =
        """
        {"inputs":[{"name":"x","datatype":"FP32","shape":[%d,%d],\
        "parameters":{"binary_data_size":%d}}]}\
        """
            .formatted(rows, width, x.length * 4);
    byte[] raw = raw(x).array();
    byte[] body =
        ByteBuffer.allocate(head.length() + raw.length).put(head.getBytes(UTF_8)).put(raw).array();
    byte[] answer = post("/v2/models/" + model + "/infer", body, head.length());
    return flat(answer, "/outputs/0/data");
  }

  private float[] grps(String model, float[] x, int rows, int width) throws Exception {
    String body =
        """
        {"model":"%s","gtensors":{"tensors":[{"name":"x","dtype":"DT_FLOAT32",\
        "shape":[%d,%d],"flat_float32":%s}]}}\
        """
            .formatted(model, rows, width, Arrays.toString(x));
    byte[] answer = post("/grps/v1/infer/predict", body.getBytes(UTF_8), -1);
    return flat(answer, "/gtensors/tensors/0/flat_float32");
  }

  private float[] oip(String model, float[] x, int rows, int width) {
    var request = ModelInferRequest.newBuilder().setModelName(model);
    request.addInputsBuilder().setName("x").setDatatype("FP32").addShape(rows).addShape(width);
    request.addRawInputContents(ByteString.copyFrom(raw(x)));
    ByteBuffer answer =
        GRPCInferenceServiceGrpc.newBlockingStub(channel)
            .modelInfer(request.build())
            .getRawOutputContents(0)
            .asReadOnlyByteBuffer()
            .order(ByteOrder.LITTLE_ENDIAN);
    float[] y = new float[answer.remaining() / 4];
    answer.asFloatBuffer().get(y);
    return y;
  }

  private float[] tfs(String model, float[] x, int rows, int width) {
    var shape = TensorShapeProto.newBuilder();
    shape.addDimBuilder().setSize(rows);
    shape.addDimBuilder().setSize(width);
    var tensor = TensorProto.newBuilder().setDtype(DataType.DT_FLOAT).setTensorShape(shape);
    tensor.setTensorContent(ByteString.copyFrom(raw(x)));
    var request =
        PredictRequest.newBuilder()
            .setModelSpec(ModelSpec.newBuilder().setName(model))
            .putInputs("x", tensor.build());
    return floats(
        PredictionServiceGrpc.newBlockingStub(channel)
            .predict(request.build())
            .getOutputsOrThrow("y")
            .getFloatValList());
  }

  private float[] grpsRpc(String model, float[] x, int rows, int width) throws IOException {
    var tensor = GenericTensor.newBuilder().setName("x").addShape(rows).addShape(width);
    tensor.setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_FLOAT32);
    for (float value : x) {
      tensor.addFlatFloat32(value);
    }
    GrpsMessage request =
        GrpsMessage.newBuilder()
            .setModel(model)
            .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
            .build();
    GrpsMessage answer = GrpsServiceGrpc.newBlockingStub(channel).predict(request);
    if (answer.getStatus().getCode() != 200) {
      throw new IOException(answer.getStatus().getCode() + " " + answer.getStatus().getMsg());
    }
    return floats(answer.getGtensors().getTensors(0).getFlatFloat32List());
  }

  private byte[] post(String path, byte[] body, int jsonLength) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body));
    if (jsonLength >= 0) {
      request.header("Inference-Header-Content-Length", Integer.toString(jsonLength));
    }
    HttpResponse<byte[]> answer = http.send(request.build(), BodyHandlers.ofByteArray());
    if (answer.statusCode() != 200) {
      throw new IOException(answer.statusCode() + " " + new String(answer.body(), UTF_8));
    }
    return answer.body();
  }

  private static ByteBuffer raw(float[] x) {
    ByteBuffer bytes = ByteBuffer.allocate(x.length * 4).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(x);
    return bytes;
  }

  /** The numbers of nested lists, one after the other. */
  private static float[] flat(byte[] body, String pointer) throws IOException {
    List<Float> numbers = new ArrayList<>();
    collect(JSON.readTree(body).at(pointer), numbers);
    return floats(numbers);
  }

  private static void collect(JsonNode node, List<Float> numbers) {
    if (node.isArray()) {
      node.forEach(element -> collect(element, numbers));
    } else {
      numbers.add(Float.parseFloat(node.asText()));
    }
  }

  private static float[] floats(List<Float> list) {
    float[] floats = new float[list.size()];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = list.get(i);
    }
    return floats;
  }
}
