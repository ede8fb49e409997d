package dev.sluice.loadtest.row;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferInputTensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;

/** The requests of the workloads: one input {@code x} of random numbers, one output {@code y}. */
public final class Requests {
  private static final long SEED = 7;
  private static final String GRPC = "application/grpc";
  private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");

  private Requests() {}

  /** TensorFlow Serving's and KServe's rows; numbers instead of rows if a row has one column. */
  public static Request v1(String model, int rows, int columns) {
    float[] values = values(rows * columns);
    var list = new StringJoiner(",", "{\"instances\":[", "]}");
    for (int row = 0; row < rows; row++) {
      String numbers = numbers(Arrays.copyOfRange(values, row * columns, (row + 1) * columns));
      list.add(columns == 1 ? numbers : "[" + numbers + "]");
    }
    return new Request("/v1/models/" + model + ":predict", JSON, bytes(list.toString()));
  }

  /** The Open Inference Protocol's JSON. */
  public static Request v2(String model, int... shape) {
    String body =
        "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":%s,\"data\":[%s]}]}"
            .formatted(text(shape), numbers(values(size(shape))));
    return new Request(v2Path(model), JSON, bytes(body));
  }

  /** The same with raw tensors behind the JSON, both ways. */
  public static Request v2Binary(String model, int... shape) {
    byte[] json =
        bytes(
            """
            {"inputs":[{"name":"x","datatype":"FP32","shape":%s,\
            "parameters":{"binary_data_size":%d}}],\
            "outputs":[{"name":"y","parameters":{"binary_data":true}}]}\
            """
                .formatted(text(shape), size(shape) * Float.BYTES));
    ByteBuffer body = ByteBuffer.allocate(json.length + size(shape) * Float.BYTES);
    body.put(json).put(raw(shape));
    var headers =
        Map.of(
            "Content-Type",
            "application/octet-stream",
            "Inference-Header-Content-Length",
            Integer.toString(json.length));
    return new Request(v2Path(model), headers, body.array());
  }

  /** A framed {@code ModelInfer} message with raw contents. */
  public static Request grpc(String model, int... shape) {
    var input = InferInputTensor.newBuilder().setName("x").setDatatype("FP32");
    Arrays.stream(shape).forEach(input::addShape);
    ModelInferRequest message =
        ModelInferRequest.newBuilder()
            .setModelName(model)
            .addInputs(input)
            .addRawInputContents(ByteString.copyFrom(raw(shape)))
            .build();
    return new Request(
        "/inference.GRPCInferenceService/ModelInfer",
        Map.of("content-type", GRPC, "te", "trailers"),
        framed(message.toByteArray()));
  }

  static boolean isGrpc(Request request) {
    return GRPC.equals(request.headers().get("content-type"));
  }

  /** A message behind gRPC's prefix: not compressed, and so many bytes. */
  static byte[] framed(byte[] message) {
    return ByteBuffer.allocate(5 + message.length)
        .put((byte) 0)
        .putInt(message.length)
        .put(message)
        .array();
  }

  /** The message of a frame. */
  public static byte[] unframed(byte[] frame) {
    return Arrays.copyOfRange(frame, 5, frame.length);
  }

  private static String v2Path(String model) {
    return "/v2/models/" + model + "/infer";
  }

  private static float[] values(int count) {
    var random = new Random(SEED);
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = random.nextFloat() * 2 - 1;
    }
    return values;
  }

  private static byte[] raw(int... shape) {
    ByteBuffer bytes =
        ByteBuffer.allocate(size(shape) * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(values(size(shape)));
    return bytes.array();
  }

  private static int size(int... shape) {
    return Arrays.stream(shape).reduce(1, Math::multiplyExact);
  }

  private static String text(int... shape) {
    return Arrays.toString(shape).replace(" ", "");
  }

  private static String numbers(float[] values) {
    var list = new StringJoiner(",");
    for (float value : values) {
      list.add(Float.toString(value));
    }
    return list.toString();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
