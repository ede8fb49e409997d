package dev.sluice.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Sends the float matrix {@code x} to a model by any protocol. The values may be fewer or more than
 * the shape says. A refused call fails with the status in front of its message. Any thread.
 */
public final class PredictClient implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  /** A protocol, and a way in which it carries tensors. */
  public enum Protocol {
    V1_ROWS {
      @Override
      List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width)
          throws Exception {
        return client.v1Rows(model, x, rows, width);
      }
    },
    V1_COLUMNS {
      @Override
      List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width)
          throws Exception {
        return client.v1Columns(model, x, rows, width);
      }
    },
    V2_JSON {
      @Override
      List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width)
          throws Exception {
        return client.v2(model, x, rows, width);
      }
    },
    V2_BINARY {
      @Override
      List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width)
          throws Exception {
        return client.v2Binary(model, x, rows, width);
      }
    },
    V2_GRPC_RAW {
      @Override
      List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width) {
        var request = v2Head(model, rows, width);
        return client.v2Grpc(request.addRawInputContents(ByteString.copyFrom(raw(x))).build());
      }
    },
    V2_GRPC_CONTENTS {
      @Override
      List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width) {
        var request = v2Head(model, rows, width);
        var contents = InferTensorContents.newBuilder().addAllFp32Contents(list(x));
        request.getInputsBuilder(0).setContents(contents);
        return client.v2Grpc(request.build());
      }
    },
    TFS_CONTENT {
      @Override
      List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width) {
        var tensor = tfsHead(rows, width).setTensorContent(ByteString.copyFrom(raw(x)));
        return client.tfs(model, tensor.build());
      }
    },
    TFS_VALUES {
      @Override
      List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width) {
        return client.tfs(model, tfsHead(rows, width).addAllFloatVal(list(x)).build());
      }
    },
    GRPS_HTTP {
      @Override
      List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width)
          throws Exception {
        return client.grps(model, x, rows, width);
      }
    },
    GRPS_GRPC {
      @Override
      List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width)
          throws Exception {
        GrpsMessage request = grpsRequest(model, x, rows, width);
        return grpsOutputs(GrpsServiceGrpc.newBlockingStub(client.channel).predict(request));
      }
    },
    GRPS_BRPC {
      @Override
      List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width)
          throws Exception {
        var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Predict", 1);
        try (var brpc = new BrpcClient(client.port)) {
          var answer = brpc.ask(call, grpsRequest(model, x, rows, width).toByteArray());
          return grpsOutputs(GrpsMessage.parseFrom(answer.message()));
        }
      }
    };

    abstract List<float[]> ask(PredictClient client, String model, float[] x, int rows, int width)
        throws Exception;
  }

  private final String url;
  private final int port;
  private final HttpClient http = HttpClient.newHttpClient();
  private final ManagedChannel channel;

  public PredictClient(RunningServer server) {
    url = server.url();
    port = server.port();
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  /** Returns the values of each output, in no particular order of outputs. */
  public List<float[]> ask(Protocol protocol, String model, float[] x, int rows, int width)
      throws Exception {
    return protocol.ask(this, model, x, rows, width);
  }

  /** Asks for one row, on another thread. */
  public CompletableFuture<List<float[]>> ask(
      Executor threads, Protocol protocol, String model, float... row) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return ask(protocol, model, row, 1, row.length);
          } catch (Exception e) {
            throw new AssertionError(protocol + " with " + row.length, e);
          }
        },
        threads);
  }

  /** The connection of all calls by gRPC. */
  public ManagedChannel channel() {
    return channel;
  }

  private List<float[]> v1Rows(String model, float[] x, int rows, int width) throws Exception {
    JsonNode predictions =
        JSON.readTree(
                post(
                    "/v1/models/" + model + ":predict", "{\"instances\":" + nested(x, rows, width)))
            .at("/predictions");
    if (!predictions.path(0).isObject()) {
      return List.of(flat(predictions));
    }
    List<float[]> outputs = new ArrayList<>();
    predictions
        .get(0)
        .fieldNames()
        .forEachRemaining(name -> {
          var column = JSON.createArrayNode();
          predictions.forEach(row -> column.add(row.get(name)));
          outputs.add(flat(column));
        });
    return outputs;
  }

  private List<float[]> v1Columns(String model, float[] x, int rows, int width) throws Exception {
    JsonNode outputs =
        JSON.readTree(
                post("/v1/models/" + model + ":predict", "{\"inputs\":" + nested(x, rows, width)))
            .at("/outputs");
    return outputs.isObject()
        ? outputs.valueStream().map(PredictClient::flat).toList()
        : List.of(flat(outputs));
  }

  private static String nested(float[] x, int rows, int width) {
    List<String> lists = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      lists.add(Arrays.toString(Arrays.copyOfRange(x, i * width, (i + 1) * width)));
    }
    return lists + "}";
  }

  private List<float[]> v2(String model, float[] x, int rows, int width) throws Exception {
    String body =
        "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[%d,%d],\"data\":%s}]}"
            .formatted(rows, width, Arrays.toString(x));
    return JSON.readTree(post("/v2/models/" + model + "/infer", body))
        .at("/outputs")
        .valueStream()
        .map(output -> flat(output.get("data")))
        .toList();
  }

  private List<float[]> v2Binary(String model, float[] x, int rows, int width) throws Exception {
    String head =
        """
        {"parameters":{"binary_data_output":true},"inputs":[{"name":"x","datatype":"FP32",\
        "shape":[%d,%d],"parameters":{"binary_data_size":%d}}]}\
        """
            .formatted(rows, width, x.length * 4);
    byte[] body =
        ByteBuffer.allocate(head.length() + x.length * 4)
            .put(head.getBytes(UTF_8))
            .put(raw(x))
            .array();
    var answer = post("/v2/models/" + model + "/infer", body, head.length());
    var length = answer.headers().firstValue("Inference-Header-Content-Length").orElseThrow();
    ByteBuffer bytes = ByteBuffer.wrap(answer.body());
    var json = new byte[Integer.parseInt(length)];
    bytes.get(json);
    List<float[]> outputs = new ArrayList<>();
    for (JsonNode output : JSON.readTree(json).get("outputs")) {
      int size = output.at("/parameters/binary_data_size").intValue();
      outputs.add(floats(bytes.slice(bytes.position(), size)));
      bytes.position(bytes.position() + size);
    }
    return outputs;
  }

  private static ModelInferRequest.Builder v2Head(String model, int rows, int width) {
    var request = ModelInferRequest.newBuilder().setModelName(model);
    request.addInputsBuilder().setName("x").setDatatype("FP32").addShape(rows).addShape(width);
    return request;
  }

  private List<float[]> v2Grpc(ModelInferRequest request) {
    ModelInferResponse answer =
        GRPCInferenceServiceGrpc.newBlockingStub(channel).modelInfer(request);
    return answer.getRawOutputContentsList().stream()
        .map(raw -> floats(raw.asReadOnlyByteBuffer()))
        .toList();
  }

  private static TensorProto.Builder tfsHead(int rows, int width) {
    var shape = TensorShapeProto.newBuilder();
    shape.addDimBuilder().setSize(rows);
    shape.addDimBuilder().setSize(width);
    return TensorProto.newBuilder().setDtype(DataType.DT_FLOAT).setTensorShape(shape);
  }

  private List<float[]> tfs(String model, TensorProto x) {
    var request =
        PredictRequest.newBuilder()
            .setModelSpec(ModelSpec.newBuilder().setName(model))
            .putInputs("x", x);
    return PredictionServiceGrpc.newBlockingStub(channel)
        .predict(request.build())
        .getOutputsMap()
        .values()
        .stream()
        .map(output -> floats(output.getFloatValList()))
        .toList();
  }

  private List<float[]> grps(String model, float[] x, int rows, int width) throws Exception {
    String body =
        """
        {"model":"%s","gtensors":{"tensors":[{"name":"x","dtype":"DT_FLOAT32",\
        "shape":[%d,%d],"flat_float32":%s}]}}\
        """
            .formatted(model, rows, width, Arrays.toString(x));
    return JSON.readTree(post("/grps/v1/infer/predict", body))
        .at("/gtensors/tensors")
        .valueStream()
        .map(output -> flat(output.get("flat_float32")))
        .toList();
  }

  private static GrpsMessage grpsRequest(String model, float[] x, int rows, int width) {
    var tensor = GenericTensor.newBuilder().setName("x").addShape(rows).addShape(width);
    tensor.setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_FLOAT32);
    return GrpsMessage.newBuilder()
        .setModel(model)
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor.addAllFlatFloat32(list(x))))
        .build();
  }

  private static List<float[]> grpsOutputs(GrpsMessage answer) throws IOException {
    if (answer.getStatus().getCode() != 200) {
      throw new IOException(answer.getStatus().getCode() + " " + answer.getStatus().getMsg());
    }
    return answer.getGtensors().getTensorsList().stream()
        .map(output -> floats(output.getFlatFloat32List()))
        .toList();
  }

  /** Sends JSON, and returns the text of a good answer. */
  public String post(String path, String body) throws Exception {
    return new String(post(path, body.getBytes(UTF_8), -1).body(), UTF_8);
  }

  private HttpResponse<byte[]> post(String path, byte[] body, int jsonLength) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(url + path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body));
    if (jsonLength >= 0) {
      request.header("Inference-Header-Content-Length", Integer.toString(jsonLength));
    }
    HttpResponse<byte[]> answer = http.send(request.build(), BodyHandlers.ofByteArray());
    if (answer.statusCode() != 200) {
      throw new IOException(answer.statusCode() + " " + new String(answer.body(), UTF_8));
    }
    return answer;
  }

  private static byte[] raw(float[] x) {
    ByteBuffer bytes = ByteBuffer.allocate(x.length * 4).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(x);
    return bytes.array();
  }

  private static float[] floats(ByteBuffer raw) {
    float[] values = new float[raw.remaining() / 4];
    raw.order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
    return values;
  }

  /** The numbers of nested lists, one after the other. */
  private static float[] flat(JsonNode lists) {
    List<Float> numbers = new ArrayList<>();
    collect(lists, numbers);
    return floats(numbers);
  }

  private static void collect(JsonNode node, List<Float> numbers) {
    if (node.isArray()) {
      node.forEach(element -> collect(element, numbers));
    } else {
      numbers.add(Float.parseFloat(node.asText()));
    }
  }

  private static List<Float> list(float[] x) {
    List<Float> list = new ArrayList<>(x.length);
    for (float value : x) {
      list.add(value);
    }
    return list;
  }

  private static float[] floats(List<Float> list) {
    float[] floats = new float[list.size()];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = list.get(i);
    }
    return floats;
  }

  @Override
  public void close() {
    channel.shutdownNow();
    http.close();
  }
}
