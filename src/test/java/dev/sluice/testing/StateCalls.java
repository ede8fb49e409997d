package dev.sluice.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.Int64Value;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.TextFormat;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.oip.grpc.proto.ModelConfigRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelConfigResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelStatisticsRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStatisticsResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationRequest;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationResponse;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.Example;
import dev.sluice.protocol.tfs.grpc.proto.ExampleList;
import dev.sluice.protocol.tfs.grpc.proto.GetModelMetadataRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelMetadataResponse;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusResponse;
import dev.sluice.protocol.tfs.grpc.proto.InferenceTask;
import dev.sluice.protocol.tfs.grpc.proto.Input;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.MultiInferenceRequest;
import dev.sluice.protocol.tfs.grpc.proto.MultiInferenceResponse;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.proto.RegressionRequest;
import dev.sluice.protocol.tfs.grpc.proto.RegressionResponse;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Sends each call about one model, by every protocol, and returns how each was answered: its
 * status, whether it says when to try again, and its text. One thread at a time.
 */
public final class StateCalls implements AutoCloseable {
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);
  private static final String TFS = "tensorflow.serving.PredictionService/";
  private static final String OIP = "inference.GRPCInferenceService/";
  private static final String GRPS = "grps.protos.v1.GrpsService/";
  private static final String INSTANCES = "{\"instances\":[1.0]}";
  private static final String EXAMPLES = "{\"examples\":[{\"x\":1.0}]}";
  private static final String TENSORS =
      "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[1],\"data\":[1.0]}]}";

  private final int port;
  private final HttpCaller http;
  private final HttpCaller kserve;
  private final ManagedChannel channel;

  /**
   * Asks a server.
   *
   * @param port where it speaks all protocols
   * @param kservePort where it speaks no other than KServe's
   */
  public StateCalls(int port, int kservePort) {
    this.port = port;
    http = new HttpCaller(port);
    kserve = new HttpCaller(kservePort);
    channel = ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
  }

  /** Returns the answers by the names of the calls. */
  public Map<String, String> ask(String model) throws IOException {
    var answers = new LinkedHashMap<String, String>();
    rest(model, answers);
    tfs(model, answers);
    oip(model, answers);
    grps(model, answers);
    return answers;
  }

  /** Sends one prediction and returns its answer, when it comes. */
  public String predict(String model) {
    return send(http, "POST", "/v1/models/" + model + ":predict", INSTANCES);
  }

  private void rest(String model, Map<String, String> answers) {
    String v1 = "/v1/models/" + model;
    String v2 = "/v2/models/" + model;
    answers.put("TFS REST predict", send(http, "POST", v1 + ":predict", INSTANCES));
    answers.put(
        "TFS REST predict, version", send(http, "POST", v1 + "/versions/1:predict", INSTANCES));
    answers.put("TFS REST classify", send(http, "POST", v1 + ":classify", EXAMPLES));
    answers.put("TFS REST regress", send(http, "POST", v1 + ":regress", EXAMPLES));
    answers.put("TFS REST status", send(http, "GET", v1, ""));
    answers.put("TFS REST status, version", send(http, "GET", v1 + "/versions/1", ""));
    answers.put("TFS REST metadata", send(http, "GET", v1 + "/metadata", ""));
    answers.put("TFS REST metadata, version", send(http, "GET", v1 + "/versions/1/metadata", ""));
    answers.put("KServe V1 predict", send(kserve, "POST", v1 + ":predict", INSTANCES));
    answers.put("KServe V1 explain", send(kserve, "POST", v1 + ":explain", INSTANCES));
    answers.put("KServe V1 status", send(kserve, "GET", v1, ""));
    answers.put("V2 REST infer", send(http, "POST", v2 + "/infer", TENSORS));
    answers.put("V2 REST infer, version", send(http, "POST", v2 + "/versions/1/infer", TENSORS));
    answers.put("V2 REST generate", send(http, "POST", v2 + "/generate", "{\"x\":[1.0]}"));
    answers.put(
        "V2 REST generate_stream", send(http, "POST", v2 + "/generate_stream", "{\"x\":[1.0]}"));
    answers.put("V2 REST infer_stream", send(http, "POST", v2 + "/infer_stream", TENSORS));
    answers.put("V2 REST ready", send(http, "GET", v2 + "/ready", ""));
    answers.put("V2 REST ready, version", send(http, "GET", v2 + "/versions/1/ready", ""));
    answers.put("V2 REST metadata", send(http, "GET", v2, ""));
    answers.put("V2 REST metadata, version", send(http, "GET", v2 + "/versions/1", ""));
    answers.put("V2 REST config", send(http, "GET", v2 + "/config", ""));
    answers.put("V2 REST stats", send(http, "GET", v2 + "/stats", ""));
    answers.put("V2 REST stats, version", send(http, "GET", v2 + "/versions/1/stats", ""));
    answers.put(
        "grps HTTP predict",
        send(
            http,
            "POST",
            "/grps/v1/infer/predict",
            "{\"model\":\"" + model + "\",\"ndarray\":[1.0]}"));
    answers.put(
        "grps HTTP metadata",
        send(http, "POST", "/grps/v1/metadata/model", "{\"str_data\":\"" + model + "\"}"));
  }

  private void tfs(String model, Map<String, String> answers) {
    ModelSpec spec = ModelSpec.newBuilder().setName(model).build();
    ModelSpec version = spec.toBuilder().setVersion(Int64Value.of(1)).build();
    answers.put("TFS gRPC Predict", call(TFS + "Predict", predict(spec), PredictResponse.parser()));
    answers.put(
        "TFS gRPC Predict, version",
        call(TFS + "Predict", predict(version), PredictResponse.parser()));
    answers.put(
        "TFS gRPC Classify",
        call(
            TFS + "Classify",
            ClassificationRequest.newBuilder().setModelSpec(spec).setInput(example()).build(),
            ClassificationResponse.parser()));
    answers.put(
        "TFS gRPC Regress",
        call(
            TFS + "Regress",
            RegressionRequest.newBuilder().setModelSpec(spec).setInput(example()).build(),
            RegressionResponse.parser()));
    answers.put(
        "TFS gRPC MultiInference",
        call(
            TFS + "MultiInference",
            MultiInferenceRequest.newBuilder()
                .addTasks(
                    InferenceTask.newBuilder()
                        .setModelSpec(spec)
                        .setMethodName("tensorflow/serving/classify"))
                .setInput(example())
                .build(),
            MultiInferenceResponse.parser()));
    answers.put("TFS gRPC GetModelStatus", status(spec));
    answers.put("TFS gRPC GetModelStatus, version", status(version));
    answers.put("TFS gRPC GetModelMetadata", metadata(spec));
    answers.put("TFS gRPC GetModelMetadata, version", metadata(version));
  }

  private static PredictRequest predict(ModelSpec spec) {
    var tensor =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_FLOAT)
            .setTensorShape(
                TensorShapeProto.newBuilder().addDim(TensorShapeProto.Dim.newBuilder().setSize(1)))
            .addFloatVal(1);
    return PredictRequest.newBuilder().setModelSpec(spec).putInputs("x", tensor.build()).build();
  }

  private static Input example() {
    return Input.newBuilder()
        .setExampleList(ExampleList.newBuilder().addExamples(Example.getDefaultInstance()))
        .build();
  }

  private String status(ModelSpec spec) {
    return call(
        "tensorflow.serving.ModelService/GetModelStatus",
        GetModelStatusRequest.newBuilder().setModelSpec(spec).build(),
        GetModelStatusResponse.parser());
  }

  private String metadata(ModelSpec spec) {
    return call(
        TFS + "GetModelMetadata",
        GetModelMetadataRequest.newBuilder()
            .setModelSpec(spec)
            .addMetadataField("signature_def")
            .build(),
        GetModelMetadataResponse.parser());
  }

  private void oip(String model, Map<String, String> answers) {
    var infer =
        ModelInferRequest.newBuilder()
            .setModelName(model)
            .addInputs(
                ModelInferRequest.InferInputTensor.newBuilder()
                    .setName("x")
                    .setDatatype("FP32")
                    .addShape(1))
            .addRawInputContents(ByteString.copyFrom(new byte[] {0, 0, 0, 0}));
    answers.put(
        "V2 gRPC ModelInfer", call(OIP + "ModelInfer", infer.build(), ModelInferResponse.parser()));
    answers.put(
        "V2 gRPC ModelInfer, version",
        call(
            OIP + "ModelInfer",
            infer.build().toBuilder().setModelVersion("1").build(),
            ModelInferResponse.parser()));
    answers.put(
        "V2 gRPC ModelStreamInfer",
        call(OIP + "ModelStreamInfer", infer.build(), ModelStreamInferResponse.parser()));
    answers.put(
        "V2 gRPC ModelReady",
        call(
            OIP + "ModelReady",
            ModelReadyRequest.newBuilder().setName(model).build(),
            ModelReadyResponse.parser()));
    answers.put(
        "V2 gRPC ModelMetadata",
        call(
            OIP + "ModelMetadata",
            ModelMetadataRequest.newBuilder().setName(model).build(),
            ModelMetadataResponse.parser()));
    answers.put(
        "V2 gRPC ModelConfig",
        call(
            OIP + "ModelConfig",
            ModelConfigRequest.newBuilder().setName(model).build(),
            ModelConfigResponse.parser()));
    answers.put(
        "V2 gRPC ModelStatistics",
        call(
            OIP + "ModelStatistics",
            ModelStatisticsRequest.newBuilder().setName(model).build(),
            ModelStatisticsResponse.parser()));
  }

  private void grps(String model, Map<String, String> answers) throws IOException {
    var tensor =
        GenericTensor.newBuilder()
            .setName("x")
            .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_FLOAT32)
            .addShape(1)
            .addFlatFloat32(1);
    GrpsMessage predict =
        GrpsMessage.newBuilder()
            .setModel(model)
            .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
            .build();
    GrpsMessage metadata = GrpsMessage.newBuilder().setStrData(model).build();
    answers.put("grps gRPC Predict", call(GRPS + "Predict", predict, GrpsMessage.parser()));
    answers.put(
        "grps gRPC PredictStreaming",
        call(GRPS + "PredictStreaming", predict, GrpsMessage.parser()));
    answers.put(
        "grps gRPC ModelMetadata", call(GRPS + "ModelMetadata", metadata, GrpsMessage.parser()));
    answers.put("brpc Predict", brpc("Predict", predict));
    answers.put("brpc ModelMetadata", brpc("ModelMetadata", metadata));
  }

  private String brpc(String method, GrpsMessage message) throws IOException {
    try (var client = new BrpcClient(port)) {
      var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", method, 1);
      BrpcClient.Answer answer = client.ask(call, message.toByteArray());
      return answer.errorCode()
          + " "
          + answer.errorText()
          + shown(GrpsMessage.parseFrom(answer.message()));
    }
  }

  private static String send(HttpCaller caller, String method, String path, String body) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    if (!body.isEmpty()) {
      headers.add("Content-Type", "application/json");
    }
    HttpCaller.Answer answer = caller.send(method, path, headers, Buffer.buffer(body));
    return answer.status()
        + again(answer.headers().contains("Retry-After"))
        + " "
        + oneLine(answer.text());
  }

  private static String again(boolean saysWhen) {
    return saysWhen ? " again" : "";
  }

  private String call(String method, Message message, Parser<? extends Message> parser) {
    var texts = new StringBuilder("OK ");
    Function<byte[], String> parsed = bytes -> parsed(parser, bytes);
    try {
      ClientCalls.blockingServerStreamingCall(
              channel,
              RawCalls.unary(method).toBuilder().setType(MethodType.SERVER_STREAMING).build(),
              CallOptions.DEFAULT,
              message.toByteArray())
          .forEachRemaining(bytes -> texts.append(parsed.apply(bytes)));
      return texts.toString();
    } catch (StatusRuntimeException e) {
      Status status = e.getStatus();
      Metadata trailers = Status.trailersFromThrowable(e);
      boolean saysWhen = trailers != null && trailers.containsKey(PUSHBACK);
      return status.getCode() + again(saysWhen) + " " + oneLine("" + status.getDescription());
    }
  }

  private static String parsed(Parser<? extends Message> parser, byte[] bytes) {
    try {
      return shown(parser.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String shown(Message message) {
    return TextFormat.printer().emittingSingleLine(true).printToString(message);
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s*\\R\\s*", " ").strip();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    http.close();
    kserve.close();
  }
}
