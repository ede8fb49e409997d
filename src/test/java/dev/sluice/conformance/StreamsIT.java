package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.compat.grps.StreamControlConfig;
import dev.sluice.protocol.grps.grpc.proto.DataType;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The same streams by every protocol that has them. */
@Timeout(60)
class StreamsIT {
  private static final String OK =
      "\"status\":{\"code\":200,\"msg\":\"OK\",\"status\":\"SUCCESS\"}";

  @TempDir static Path models;
  private static RunningServer server;
  private static HttpCaller http;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() throws IOException {
    StepModels.counter(models, "{ feedback: { y: x }, stop: { steps: 3 } }");
    StepModels.table(models, "table", "stream: { rows: 2 }\n");
    StepModels.table(models, "rep", "stream: { rows: 1, decoupled: true }\n");
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
    channel = NettyChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    http.close();
    server.close();
  }

  /** The bytes of an answer, chunks and all. */
  private static String raw(int port, String head, String body) throws IOException {
    try (var socket = new Socket("localhost", port)) {
      String request =
          head
              + "\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json"
              + "\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body;
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String predict(String query, String body) throws IOException {
    return raw(server.port(), "POST /grps/v1/infer/predict?" + query + " HTTP/1.1", body);
  }

  private static String at(String model, String values) {
    return """
    {"model":"%s","gtensors":{"tensors":[{"name":"at","dtype":"DT_INT64","flat_int64":%s,"shape":[%d]}]}}\
    """
        .strip()
        .formatted(model, values, values.equals("[]") ? 0 : values.split(",").length);
  }

  /** Chunks of an answer, in order, without the last one. */
  private static List<String> chunks(String answer) {
    String rest = answer.substring(answer.indexOf("\r\n\r\n") + 4);
    var chunks = new ArrayList<String>();
    while (true) {
      int line = rest.indexOf("\r\n");
      int size = Integer.parseInt(rest.substring(0, line), 16);
      if (size == 0) {
        return chunks;
      }
      chunks.add(rest.substring(line + 2, line + 2 + size));
      rest = rest.substring(line + 2 + size + 2);
    }
  }

  @Test
  void grpsSendsOneChunkForEachMessage() throws IOException {
    String answer = predict("streaming=TRUE", at("table", "[0,1,2]"));
    assertThat(answer)
        .startsWith("HTTP/1.1 200 OK\r\n")
        .containsIgnoringCase("transfer-encoding: chunked")
        .containsIgnoringCase("content-type: application/octet-stream");
    assertThat(chunks(answer))
        .containsExactly(
            "{"
                + OK
                + ",\"gtensors\":{\"tensors\":[{\"name\":\"value\",\"dtype\":\"DT_FLOAT32\",\"shape\":[2],\"flat_float32\":[10.0,11.0]}]}}\n",
            "{"
                + OK
                + ",\"gtensors\":{\"tensors\":[{\"name\":\"value\",\"dtype\":\"DT_FLOAT32\",\"shape\":[1],\"flat_float32\":[12.0]}]}}\n");
  }

  @Test
  void aGrpsFailureInTheMiddleIsTheLastMessage() throws IOException {
    List<String> chunks = chunks(predict("streaming=true", at("table", "[0,1,9]")));
    assertThat(chunks).hasSize(2);
    assertThat(chunks.getLast())
        .startsWith("{\"status\":{\"code\":400,")
        .endsWith("\"status\":\"FAILURE\"}}\n");
  }

  @Test
  void anUnknownGrpsModelIsReportedInTheStream() throws IOException {
    String answer = predict("streaming=true", at("nope", "[0]"));
    assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n");
    assertThat(chunks(answer))
        .singleElement()
        .asString()
        .contains("\"code\":500")
        .contains("Not found model: nope");
  }

  @Test
  void whatIsNoGrpsRequestIsRefusedWithoutAStream() throws IOException {
    assertThat(predict("streaming=true", "{")).startsWith("HTTP/1.1 400");
    assertThat(predict("streaming=true&return-ndarray=true", at("table", "[0]")))
        .startsWith("HTTP/1.1 400")
        .contains("Streaming and ret ndarray are not supported at the same time.");
  }

  @Test
  void aClientOfHttp10ReadsTheStreamToItsEnd() throws IOException {
    String answer =
        raw(
            server.port(),
            "POST /grps/v1/infer/predict?streaming=true HTTP/1.0",
            at("table", "[0,1,2]"));
    assertThat(answer).doesNotContainIgnoringCase("transfer-encoding");
    assertThat(answer.substring(answer.indexOf("\r\n\r\n") + 4).lines()).hasSize(2);
  }

  private static RunningServer controlled(StreamControlConfig control) {
    return RunningServer.start(
        RecordCopy.with(RunningServer.settings(models), "protocols.grps.streamingCtrl", control));
  }

  @Test
  void aGrpsStreamMayBeAskedForByAHeader() throws IOException {
    var control =
        new StreamControlConfig(
            StreamControlConfig.Mode.HEADER_PARAM, "x-stream", "text/event-stream");
    try (RunningServer other = controlled(control)) {
      String head = "POST /grps/v1/infer/predict HTTP/1.1\r\nX-Stream: True";
      assertThat(raw(other.port(), head, at("table", "[0,1,2]")))
          .containsIgnoringCase("content-type: text/event-stream")
          .containsIgnoringCase("transfer-encoding: chunked");
      assertThat(
              raw(
                  other.port(),
                  "POST /grps/v1/infer/predict?streaming=true HTTP/1.1",
                  at("table", "[0,1,2]")))
          .containsIgnoringCase("content-length");
    }
  }

  @Test
  void aGrpsStreamMayBeAskedForInTheBody() throws IOException {
    var control =
        new StreamControlConfig(StreamControlConfig.Mode.BODY_PARAM, "stream", "text/plain");
    try (RunningServer other = controlled(control)) {
      String head = "POST /grps/v1/infer/predict HTTP/1.1";
      String body = at("table", "[0,1,2]");
      String wish = "{\"stream\":true," + body.substring(1);
      assertThat(chunks(raw(other.port(), head, wish))).hasSize(2);
      String text = "{\"stream\":\"true\"," + body.substring(1);
      assertThat(raw(other.port(), head, text)).containsIgnoringCase("content-length");
    }
  }

  private static GrpsMessage grpcAt(String model, long... values) {
    var tensor =
        GenericTensor.newBuilder()
            .setName("at")
            .setDtype(DataType.DT_INT64)
            .addShape(values.length);
    for (long value : values) {
      tensor.addFlatInt64(value);
    }
    return GrpsMessage.newBuilder()
        .setModel(model)
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
        .build();
  }

  private static List<GrpsMessage> streamed(GrpsMessage request) {
    var messages = new ArrayList<GrpsMessage>();
    GrpsServiceGrpc.newBlockingStub(channel)
        .predictStreaming(request)
        .forEachRemaining(messages::add);
    return messages;
  }

  @Test
  void grpsStreamsOverGrpc() {
    List<GrpsMessage> messages = streamed(grpcAt("table", 3, 2, 1));
    assertThat(messages).hasSize(2);
    assertThat(messages.getFirst().getGtensors().getTensors(0).getFlatFloat32List())
        .containsExactly(13f, 12f);
    assertThat(messages.getLast().getStatus().getCode()).isEqualTo(200);
    assertThat(streamed(grpcAt("rep"))).isEmpty();
  }

  @Test
  void grpsStreamsOverGrpcWeb() throws IOException {
    ByteBuffer answer =
        ByteBuffer.wrap(
            web("grps.protos.v1.GrpsService/PredictStreaming", grpcAt("table", 3, 2, 1)));
    assertThat(GrpsMessage.parseFrom(frame(answer, 0)).getGtensors().getTensors(0).getShape(0))
        .isEqualTo(2);
    assertThat(GrpsMessage.parseFrom(frame(answer, 0)).getGtensors().getTensors(0).getShape(0))
        .isEqualTo(1);
    assertThat(new String(frame(answer, 0x80), StandardCharsets.US_ASCII))
        .isEqualTo("grpc-status:0\r\n");
    assertThat(answer.hasRemaining()).isFalse();
  }

  private static byte[] web(String method, GrpsMessage request) {
    Buffer framed =
        Buffer.buffer()
            .appendByte((byte) 0)
            .appendInt(request.getSerializedSize())
            .appendBytes(request.toByteArray());
    HttpCaller.Answer answer =
        http.send(
            "POST",
            "/" + method,
            MultiMap.caseInsensitiveMultiMap().add("Content-Type", "application/grpc-web+proto"),
            framed);
    assertThat(answer.status()).isEqualTo(200);
    return answer.body().getBytes();
  }

  /** The content of the next frame, which has a flag. */
  private static byte[] frame(ByteBuffer answer, int flag) {
    assertThat(answer.get() & 0xFF).isEqualTo(flag);
    byte[] content = new byte[answer.getInt()];
    answer.get(content);
    return content;
  }

  @Test
  void aGrpsFailureOverGrpcIsTheLastMessageAndTheCallEndsWell() {
    List<GrpsMessage> messages = streamed(grpcAt("rep", 0, 9, 1));
    assertThat(messages).hasSize(2);
    assertThat(messages.getLast().getStatus().getCode()).isEqualTo(400);
    assertThat(streamed(grpcAt("nope", 0)).getFirst().getStatus().getMsg())
        .contains("Not found model: nope");
  }

  private static ModelInferRequest.Builder infer(String id, String model, Long... values) {
    return ModelInferRequest.newBuilder()
        .setId(id)
        .setModelName(model)
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("at")
                .setDatatype("INT64")
                .addShape(values.length)
                .setContents(
                    InferTensorContents.newBuilder().addAllInt64Contents(List.of(values))));
  }

  private static List<ModelStreamInferResponse> streamInfer(ModelInferRequest... requests) {
    var answers = new ArrayList<ModelStreamInferResponse>();
    var ended = new CompletableFuture<Void>();
    StreamObserver<ModelInferRequest> call =
        GRPCInferenceServiceGrpc.newStub(channel)
            .modelStreamInfer(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ModelStreamInferResponse answer) {
                    answers.add(answer);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    ended.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {
                    ended.complete(null);
                  }
                });
    for (ModelInferRequest request : requests) {
      call.onNext(request);
    }
    call.onCompleted();
    ended.join();
    return answers;
  }

  private static boolean isFinal(ModelStreamInferResponse answer) {
    return answer.getInferResponse().getParametersOrThrow("triton_final_response").getBoolParam();
  }

  @Test
  void aStreamOfRequestsIsAnsweredInOrderAndAFailureIsAnAnswer() {
    List<ModelStreamInferResponse> answers =
        streamInfer(
            infer("a", "table", 1L).build(),
            infer("b", "table", 9L).build(),
            infer("c", "nope", 1L).build(),
            infer("d", "table", 2L).build());
    assertThat(answers)
        .extracting(answer -> answer.getInferResponse().getId())
        .containsExactly("a", "b", "c", "d");
    assertThat(answers).allMatch(StreamsIT::isFinal);
    assertThat(answers.get(0).getErrorMessage()).isEmpty();
    assertThat(answers.get(1).getErrorMessage()).isNotEmpty();
    assertThat(answers.get(2).getErrorMessage()).contains("unknown model: 'nope'");
    assertThat(answers.get(2).getInferResponse().getModelName()).isEqualTo("nope");
    assertThat(answers.get(3).getErrorMessage()).isEmpty();
  }

  @Test
  void aDecoupledModelAnswersAnyNumberOfTimes() {
    assertThat(streamInfer()).isEmpty();
    assertThat(streamInfer(infer("0", "rep").build())).isEmpty();
    List<ModelStreamInferResponse> answers = streamInfer(infer("3", "rep", 0L, 1L, 2L).build());
    assertThat(answers).extracting(StreamsIT::isFinal).containsExactly(false, false, true);
  }

  @Test
  void aStreamWithoutALastResponseEndsWithAnEmptyOneIfThatIsWanted() {
    InferParameter yes = InferParameter.newBuilder().setBoolParam(true).build();
    ModelInferRequest nothing =
        infer("0", "rep").putParameters("triton_enable_empty_final_response", yes).build();
    assertThat(streamInfer(nothing))
        .singleElement()
        .satisfies(answer -> {
          assertThat(isFinal(answer)).isTrue();
          assertThat(answer.getInferResponse().getId()).isEqualTo("0");
          assertThat(answer.getInferResponse().getOutputsList()).isEmpty();
        });
  }

  @Test
  void unaryCallToADecoupledModelIsRejected() {
    assertThatThrownBy(() ->
            GRPCInferenceServiceGrpc.newBlockingStub(channel)
                .modelInfer(infer("1", "rep", 0L).build()))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessage(
            "UNIMPLEMENTED: ModelInfer RPC doesn't support models with decoupled transaction"
                + " policy");
    HttpCaller.Answer refused =
        http.send("POST", "/v2/models/rep/infer", Buffer.buffer("{\"inputs\":[]}"));
    assertThat(refused.status()).isEqualTo(501);
    assertThat(refused.text())
        .contains("HTTP end point doesn't support models with decoupled transaction policy");
  }

  @Test
  void generateStreamSendsEvents() {
    HttpCaller.Answer answer =
        http.send(
            "POST", "/v2/models/counter/generate_stream", Buffer.buffer("{\"x\":1,\"id\":\"7\"}"));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.contentType()).isEqualTo("text/event-stream; charset=utf-8");
    String head = "data: {\"id\":\"7\",\"model_name\":\"counter\",\"model_version\":\"1\",\"y\":";
    assertThat(answer.text()).isEqualTo(head + "2.0}\n\n" + head + "3.0}\n\n" + head + "4.0}\n\n");
  }

  @Test
  void aFailureOfGenerateStreamIsAnEventAndKeepsItsStatusIfItIsTheFirst() {
    HttpCaller.Answer later =
        http.send("POST", "/v2/models/rep/generate_stream", Buffer.buffer("{\"at\":[0,9]}"));
    assertThat(later.status()).isEqualTo(200);
    assertThat(later.text()).contains("\"value\":10.0}\n\ndata: {\"error\":");
    HttpCaller.Answer first =
        http.send("POST", "/v2/models/rep/generate_stream", Buffer.buffer("{\"at\":[9]}"));
    assertThat(first.status()).isEqualTo(400);
    assertThat(first.text()).startsWith("data: {\"error\":");
    HttpCaller.Answer before =
        http.send("POST", "/v2/models/rep/generate_stream", Buffer.buffer("{\"at\":{}}"));
    assertThat(before.status()).isEqualTo(400);
    assertThat(before.contentType()).isEqualTo("application/json");
  }

  @Test
  void generateTakesADecoupledModelThatAnswersOnce() {
    HttpCaller.Answer once =
        http.send("POST", "/v2/models/rep/generate", Buffer.buffer("{\"at\":[2]}"));
    assertThat(once.text()).contains("\"value\":12.0");
    HttpCaller.Answer often =
        http.send("POST", "/v2/models/rep/generate", Buffer.buffer("{\"at\":[2,1]}"));
    assertThat(often.status()).isEqualTo(400);
    assertThat(often.text()).contains("generate expects model to produce exactly 1 response");
  }
}
