package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.testing.Envoy;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.MeshExample;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** gRPC-Web through a real Envoy: as it is, and where Envoy makes gRPC of it by its own filter. */
class MeshGrpcWebIT {
  private static final String SERVICE = "/inference.GRPCInferenceService/";
  private static final String FILTER =
      """
      http_filters: &filters
                        - name: envoy.filters.http.grpc_web
                          typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.grpc_web.v3.GrpcWeb }
      """;

  @TempDir private static Path folder;
  private static RunningServer server;
  private static Envoy plain;
  private static Envoy filtering;

  @BeforeAll
  static void open() throws Exception {
    Envoy.install();
    Path models = folder.resolve("models");
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    TestModels.copy(Path.of("src/sample/models/writer"), models.resolve("writer"));
    Path writer = models.resolve("writer/model.yml");
    Files.writeString(writer, Files.readString(writer).replace("steps: 1000", "steps: 1000000"));
    server = RunningServer.start(models);
    String config = MeshExample.of(server, server).config();
    plain = Envoy.start(folder, config).awaitHealthy("servers", 2);
    filtering =
        Envoy.start(folder, config.replace("http_filters: &filters\n", FILTER))
            .awaitHealthy("servers", 2);
  }

  @AfterAll
  static void nothingIsLeftOpen() {
    if (plain != null) {
      plain.close();
    }
    if (filtering != null) {
      filtering.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private static InputStream call(
      HttpClient client, boolean filter, String method, ModelInferRequest request)
      throws Exception {
    byte[] message = request.toByteArray();
    byte[] body =
        ByteBuffer.allocate(5 + message.length)
            .put((byte) 0)
            .putInt(message.length)
            .put(message)
            .array();
    int port = (filter ? filtering : plain).port("mesh");
    var answer =
        client.send(
            HttpRequest.newBuilder(URI.create("http://localhost:" + port + SERVICE + method))
                .header("content-type", "application/grpc-web+proto")
                .POST(BodyPublishers.ofByteArray(body))
                .build(),
            BodyHandlers.ofInputStream());
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).hasValue("application/grpc-web+proto");
    return answer.body();
  }

  private static HttpClient client() {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  /** Returns what stands behind the five bytes that begin a frame. */
  private static byte[] frame(InputStream from, int kind) throws IOException {
    var in = new DataInputStream(from);
    assertThat(in.readUnsignedByte()).isEqualTo(kind);
    return in.readNBytes(in.readInt());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void callIsAnsweredByAMessageAndTrailers(boolean filter) throws Exception {
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("half_plus_two")
            .addInputs(
                ModelInferRequest.InferInputTensor.newBuilder()
                    .setName("x")
                    .setDatatype("FP32")
                    .addShape(2))
            .addRawInputContents(ByteString.copyFrom(new byte[8]))
            .build();
    try (HttpClient client = client();
        InputStream answer = call(client, filter, "ModelInfer", request)) {
      assertThat(ModelInferResponse.parseFrom(frame(answer, 0)).getModelName())
          .isEqualTo("half_plus_two");
      assertThat(new String(frame(answer, 0x80), java.nio.charset.StandardCharsets.US_ASCII))
          .contains("grpc-status:0");
    }
  }

  private static boolean isIdle(HttpCaller caller) {
    return Pattern.compile("(?m)^sluice_requests_running 0(\\.0)?$")
        .matcher(caller.send("GET", "/metrics", Buffer.buffer()).text())
        .find();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void messageArrivesWhileItsStreamGoesOnAndTheEndOfItsReaderEndsTheStream(boolean filter)
      throws Exception {
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("writer")
            .addInputs(
                ModelInferRequest.InferInputTensor.newBuilder()
                    .setName("text")
                    .setDatatype("BYTES")
                    .addShape(1))
            .addRawInputContents(ByteString.copyFrom(new byte[] {3, 0, 0, 0, 'I', ' ', 'a'}))
            .build();
    try (var caller = new HttpCaller(server.port())) {
      HttpClient client = client();
      try (InputStream answer = call(client, filter, "ModelStreamInfer", request)) {
        for (int i = 0; i < 3; i++) {
          var message = ModelStreamInferResponse.parseFrom(frame(answer, 0));
          assertThat(message.getErrorMessage()).isEmpty();
        }
        assertThat(isIdle(caller)).isFalse();
      }
      client.shutdownNow();
      Polling.await("the stream has ended", () -> isIdle(caller));
    }
  }
}
