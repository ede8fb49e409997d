package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.testing.RunningServer;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Streams by gRPC-Web over HTTP/1.1, as pages ask: all requests first, then all answers. */
class GrpcWebStreamIT {
  private static final int TRAILERS = 0x80;

  private static RunningServer server;
  private static HttpClient http;

  /** What stands behind the five bytes that begin it. */
  private record Frame(int kind, ByteString content) {}

  @BeforeAll
  static void start() {
    server = RunningServer.start(Path.of("src/test/models/oip"));
    http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  @Test
  void eachAnswerIsAFrameAndTheTrailersAreTheLast() throws Exception {
    var answer = send("application/grpc-web+proto", requests("idf", "nope", "idf"));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).hasValue("application/grpc-web+proto");
    assertAnswers(frames(answer.body()));
  }

  @Test
  void inBase64ItIsTheSame() throws Exception {
    var answer =
        send(
            "application/grpc-web-text",
            Base64.getEncoder().encode(requests("idf", "nope", "idf")));
    assertAnswers(frames(fromPieces(answer.body())));
  }

  @Test
  void manyRequestsOfABodyThatHasArrivedAsAWholeAreAnsweredOneByOne() throws Exception {
    var models = new String[3_000];
    Arrays.fill(models, "nope");
    byte[] body = requests(models);
    var answer = send("application/grpc-web+proto", body);
    assertThat(frames(answer.body())).hasSize(models.length + 1);
    var inBase64 = send("application/grpc-web-text", Base64.getEncoder().encode(body));
    List<Frame> frames = frames(fromPieces(inBase64.body()));
    assertThat(frames).hasSize(models.length + 1);
    assertThat(text(frames.getLast())).contains("grpc-status:0");
  }

  @Test
  void aStreamOfNothingHasOnlyTrailers() throws Exception {
    List<Frame> frames = frames(send("application/grpc-web+proto", new byte[0]).body());
    assertThat(frames).hasSize(1);
    assertThat(text(frames.getFirst())).contains("grpc-status:0");
  }

  @Test
  void requestThatIsCutOffEndsTheStreamWithItsStatus() throws Exception {
    byte[] whole = requests("idf");
    var answer = send("application/grpc-web+proto", Arrays.copyOf(whole, whole.length - 1));
    assertThat(text(frames(answer.body()).getLast())).contains("grpc-status:3");
  }

  private static void assertAnswers(List<Frame> frames) throws Exception {
    assertThat(frames).extracting(Frame::kind).containsExactly(0, 0, 0, TRAILERS);
    for (int i = 0; i < 3; i++) {
      var answer = ModelStreamInferResponse.parseFrom(frames.get(i).content);
      assertThat(answer.getErrorMessage().isEmpty()).isEqualTo(i != 1);
      assertThat(answer.getInferResponse().getId()).isEqualTo(Integer.toString(i));
    }
    assertThat(text(frames.getLast())).contains("grpc-status:0");
  }

  private static String text(Frame frame) {
    return frame.content.toStringUtf8();
  }

  private static HttpResponse<byte[]> send(String type, byte[] body) throws Exception {
    var method = "/inference.GRPCInferenceService/ModelStreamInfer";
    return http.send(
        HttpRequest.newBuilder(URI.create(server.url() + method))
            .header("content-type", type)
            .header("x-grpc-web", "1")
            .POST(BodyPublishers.ofByteArray(body))
            .build(),
        BodyHandlers.ofByteArray());
  }

  private static byte[] requests(String... models) {
    var out = new ByteArrayOutputStream();
    for (int i = 0; i < models.length; i++) {
      byte[] message = request(models[i], i).toByteArray();
      out.writeBytes(ByteBuffer.allocate(5).put((byte) 0).putInt(message.length).array());
      out.writeBytes(message);
    }
    return out.toByteArray();
  }

  private static ModelInferRequest request(String model, int id) {
    return ModelInferRequest.newBuilder()
        .setModelName(model)
        .setId(Integer.toString(id))
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("INPUT0")
                .setDatatype("FP32")
                .addShape(1)
                .addShape(1)
                .setContents(InferTensorContents.newBuilder().addFp32Contents(id)))
        .build();
  }

  private static List<Frame> frames(byte[] body) {
    List<Frame> frames = new ArrayList<>();
    var in = ByteBuffer.wrap(body);
    while (in.hasRemaining()) {
      int kind = in.get() & 0xff;
      byte[] content = new byte[in.getInt()];
      in.get(content);
      frames.add(new Frame(kind, ByteString.copyFrom(content)));
    }
    return frames;
  }

  /** Each piece that was sent is padded for itself. */
  private static byte[] fromPieces(byte[] text) {
    var out = new ByteArrayOutputStream();
    for (int i = 0; i < text.length; i += 4) {
      out.writeBytes(Base64.getDecoder().decode(Arrays.copyOfRange(text, i, i + 4)));
    }
    return out.toByteArray();
  }
}
