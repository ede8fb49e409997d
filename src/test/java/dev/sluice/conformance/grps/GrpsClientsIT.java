package dev.sluice.conformance.grps;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.grpc.proto.DataType;
import dev.sluice.protocol.grps.grpc.proto.GenericMapData;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.grps.grpc.proto.Status;
import dev.sluice.protocol.grps.grpc.proto.Status.StatusFlag;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.BrpcClient.Answer;
import dev.sluice.testing.BrpcClient.Call;
import dev.sluice.testing.EchoModels;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sends what the client programs that grps publishes send, in their order, and looks for what they
 * read of the answers. The model gives back what comes.
 */
class GrpsClientsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final GrpsMessage EMPTY = GrpsMessage.getDefaultInstance();

  @TempDir static Path folder;

  private static RunningServer server;

  @BeforeAll
  static void start() throws IOException {
    server = RunningServer.start(EchoModels.in(folder));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Looks at the JSON of every answer, and never at the HTTP status. */
  @Test
  void pythonOverHttp() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      assertSucceeds(get(http, "/health/live"));
      assertSucceeds(get(http, "/health/online"));
      assertSucceeds(get(http, "/health/ready"));
      assertThat(predict(http, "", "{\"str_data\": \"hello grps.\"}").get("str_data").asText())
          .isEqualTo("hello grps.");
      assertThat(post(http, "/infer/predict?streaming=true", "{\"str_data\": \"hello grps.\"}"))
          .contains("\"str_data\":\"stream data 1\"", "\"str_data\":\"stream data 2\"");
      JsonNode tensors = predict(http, "", "{\"gtensors\": {\"tensors\": [" + tensorJson() + "]}}");
      assertThat(tensors.at("/gtensors/tensors/0").toString())
          .isEqualTo(JSON.readTree(tensorJson()).toString());
      JsonNode maps = predict(http, "", "{\"gmap\": {" + mapJson() + ", \"s_t\": {\"key\": {}}}}");
      assertThat(maps.get("gmap").toString())
          .isEqualTo(JSON.readTree("{" + mapJson() + "}").toString());
      JsonNode lists =
          predict(http, "?return-ndarray=true", "{\"ndarray\": [[1, 2, 3], [4, 5, 6]]}");
      assertThat(lists.get("ndarray").toString()).isEqualTo("[[1.0,2.0,3.0],[4.0,5.0,6.0]]");
      assertThat(send(http, "/infer/predict", "application/octet-stream", "hello grps."))
          .isEqualTo("hello grps.");
      assertThat(get(http, "/metadata/server").get("str_data").asText()).contains("your_model");
      assertThat(
              JSON.readTree(post(http, "/metadata/model", "{\"str_data\": \"your_model\"}"))
                  .get("str_data")
                  .asText())
          .contains("name: your_model");
      assertSucceeds(get(http, "/health/offline"));
    }
  }

  private static String tensorJson() {
    return """
    {"name": "inp", "dtype": "DT_FLOAT32", "shape": [2, 3],
     "flat_float32": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}\
    """;
  }

  private static String mapJson() {
    return """
    "s_s": {"key": "value"}, "s_b": {"key": "aGVsbG8gZ3Jwcy4="}, "s_i32": {"key": 1},
    "s_i64": {"key": "1"}, "s_f": {"key": 1.0}, "s_d": {"key": 1.0}\
    """;
  }

  private static void assertSucceeds(JsonNode answer) {
    assertThat(answer.at("/status/status").asText()).as(answer.toString()).isEqualTo("SUCCESS");
  }

  private static JsonNode get(HttpClient http, String path) throws Exception {
    URI uri = URI.create(server.url() + "/grps/v1" + path);
    return JSON.readTree(
        http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body());
  }

  private static JsonNode predict(HttpClient http, String query, String json) throws Exception {
    JsonNode answer = JSON.readTree(post(http, "/infer/predict" + query, json));
    assertSucceeds(answer);
    return answer;
  }

  private static String post(HttpClient http, String path, String json) throws Exception {
    return send(http, path, "application/json", json);
  }

  private static String send(HttpClient http, String path, String type, String body)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + "/grps/v1" + path))
            .header("content-type", type)
            .POST(BodyPublishers.ofString(body))
            .build();
    return http.send(request, BodyHandlers.ofString()).body();
  }

  /** The ones in Java and C++ send a part of this. */
  @Test
  void pythonOverGrpc() {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    var stub = GrpsServiceGrpc.newBlockingStub(channel);
    assertSucceeds(stub.checkLiveness(EMPTY));
    assertSucceeds(stub.online(EMPTY));
    assertSucceeds(stub.checkReadiness(EMPTY));
    for (GrpsMessage message : List.of(text("hello grps."), tensor(), bytes(), map())) {
      assertThat(stub.predict(message)).isEqualTo(succeeded(message));
    }
    List<String> messages = new ArrayList<>();
    stub.predictStreaming(text("hello grps."))
        .forEachRemaining(message -> messages.add(message.getStrData()));
    assertThat(messages).containsExactly("stream data 1", "stream data 2");
    assertThat(stub.serverMetadata(EMPTY).getStrData()).contains("your_model");
    assertThat(stub.modelMetadata(text("your_model")).getStrData()).contains("name: your_model");
    assertSucceeds(stub.offline(EMPTY));
    channel.shutdownNow();
  }

  private static GrpsMessage text(String text) {
    return GrpsMessage.newBuilder().setStrData(text).build();
  }

  private static GrpsMessage tensor() {
    var tensor = GenericTensor.newBuilder().setName("inp").setDtype(DataType.DT_FLOAT32);
    tensor.addAllShape(List.of(2, 3)).addAllFlatFloat32(List.of(1f, 2f, 3f, 4f, 5f, 6f));
    return GrpsMessage.newBuilder()
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
        .build();
  }

  private static GrpsMessage bytes() {
    return GrpsMessage.newBuilder().setBinData(ByteString.copyFromUtf8("hello grps.")).build();
  }

  /** One key in every map. */
  private static GrpsMessage map() {
    return GrpsMessage.newBuilder()
        .setGmap(
            GenericMapData.newBuilder()
                .putSS("key", "hello grps.")
                .putSB("key", ByteString.copyFromUtf8("hello grps."))
                .putSI32("key", 1)
                .putSI64("key", 1)
                .putSF("key", 1)
                .putSD("key", 1))
        .build();
  }

  private static GrpsMessage succeeded(GrpsMessage message) {
    var status = Status.newBuilder().setCode(200).setMsg("OK").setStatus(StatusFlag.SUCCESS);
    return message.toBuilder().setStatus(status).build();
  }

  private static void assertSucceeds(GrpsMessage answer) {
    assertThat(answer).isEqualTo(succeeded(EMPTY));
  }

  /** Keeps one message for all its calls, so that later ones have what earlier ones needed. */
  @Test
  void cppOverBrpc() throws IOException {
    try (var client = new BrpcClient(server.port())) {
      for (String method : List.of("Online", "CheckLiveness", "CheckReadiness")) {
        assertSucceeds(ask(client, method, EMPTY));
      }
      GrpsMessage hello = text("hello grps.");
      assertThat(ask(client, "Predict", hello)).isEqualTo(succeeded(hello));
      assertThat(ask(client, "ServerMetadata", hello).getStrData()).contains("your_model");
      assertThat(ask(client, "ModelMetadata", text("your_model")).getStrData())
          .contains("name: your_model");
      assertSucceeds(ask(client, "Offline", text("your_model")));
    }
  }

  private static GrpsMessage ask(BrpcClient client, String method, GrpsMessage message)
      throws IOException {
    Answer answer =
        client.ask(
            new Call("grps.protos.v1.GrpsBrpcService", method, 1).within(400),
            message.toByteArray());
    assertThat(answer.errorText()).isEmpty();
    return GrpsMessage.parseFrom(answer.message());
  }
}
