package dev.sluice.transport.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that no gRPC library would send, and what every call is answered with all the same. */
class GrpcFramingIT {
  private static final LimitsConfig LIMITS =
      new LimitsConfig(1_000, 10_000, 1_000_000, Duration.ZERO, Duration.ZERO, 0);

  private static EchoListener listener;
  private static Vertx vertx;
  private static HttpClient client;

  /** What came back: the status from the trailers or, of a failed call, from the headers. */
  private record Reply(
      int http,
      @Nullable String status,
      @Nullable String message,
      @Nullable String accepted,
      Buffer body) {}

  @BeforeAll
  static void open() {
    listener = new EchoListener(LIMITS);
    vertx = Vertx.vertx();
    client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false));
  }

  @AfterAll
  static void close() {
    await(vertx.close());
    listener.close();
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  private static Reply call(String method, Map<String, String> headers, Buffer body) {
    var options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setPort(listener.port())
            .setHost("localhost")
            .setURI("/test.Echo/" + method)
            .putHeader("content-type", "application/grpc");
    headers.forEach(options::putHeader);
    // Everything hangs on the first future, so that it runs on the event loop: the body would be
    // gone
    // by the time this thread asked for it.
    return await(
        client
            .request(options)
            .compose(request -> request.send(body).compose(GrpcFramingIT::read)));
  }

  private static Future<Reply> read(HttpClientResponse response) {
    return response
        .body()
        .map(answer ->
            new Reply(
                response.statusCode(),
                either(response.getHeader("grpc-status"), response.getTrailer("grpc-status")),
                response.getHeader("grpc-message"),
                response.getHeader("grpc-accept-encoding"),
                answer));
  }

  private static @Nullable String either(@Nullable String first, @Nullable String second) {
    return first == null ? second : first;
  }

  private static Buffer frame(int flag, byte[] message) {
    return Buffer.buffer().appendByte((byte) flag).appendInt(message.length).appendBytes(message);
  }

  private static byte[] gzip(byte[] plain) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(bytes)) {
      gzip.write(plain);
    }
    return bytes.toByteArray();
  }

  @Test
  void aWholeMessageIsAnswered() {
    Reply reply = call("Echo", Map.of(), frame(0, "hello".getBytes(UTF_8)));
    assertThat(reply.status()).isEqualTo("0");
    assertThat(reply.body()).isEqualTo(frame(0, "hello".getBytes(UTF_8)));
  }

  @Test
  void anEmptyMessageIsAMessage() {
    assertThat(call("Echo", Map.of(), frame(0, new byte[0])).status()).isEqualTo("0");
  }

  @Test
  void aCallWithoutAMessageIsAnInvalidArgument() {
    assertThat(call("Echo", Map.of(), Buffer.buffer()).status()).isEqualTo("3");
  }

  @Test
  void aTruncatedMessageIsAnInvalidArgument() {
    Buffer whole = frame(0, "hello".getBytes(UTF_8));
    Reply reply = call("Echo", Map.of(), whole.slice(0, 7));
    assertThat(reply.status()).isEqualTo("3");
    assertThat(reply.message()).contains("5 bytes").contains("2");
  }

  @Test
  void aSecondMessageIsAnInvalidArgument() {
    Buffer one = frame(0, "a".getBytes(UTF_8));
    assertThat(call("Echo", Map.of(), one.copy().appendBuffer(one)).status()).isEqualTo("3");
  }

  @Test
  void anAnnouncedLengthBeyondTheLimitIsRefusedBeforeItArrives() {
    Buffer head = Buffer.buffer().appendByte((byte) 0).appendInt(Integer.MAX_VALUE);
    assertThat(call("Echo", Map.of(), head).status()).isEqualTo("8");
  }

  @Test
  void aMessageBeyondTheLimitIsRefusedWithTheSettingToChange() {
    Reply reply = call("Echo", Map.of(), frame(0, new byte[2_000]));
    assertThat(reply.status()).isEqualTo("8");
    assertThat(reply.message()).contains("has 2000 bytes").contains("limits.max_body_size");
  }

  @Test
  void aCompressedMessageIsInflated() throws IOException {
    byte[] plain = new byte[5_000];
    Reply reply = call("Echo", Map.of("grpc-encoding", "gzip"), frame(1, gzip(plain)));
    assertThat(reply.status()).isEqualTo("0");
    assertThat(reply.body()).isEqualTo(frame(0, plain));
  }

  @Test
  void aMessageThatInflatesBeyondTheLimitIsRefused() throws IOException {
    byte[] bomb = gzip(new byte[500_000]);
    assertThat(bomb).hasSizeLessThan(1_000);
    assertThat(call("Echo", Map.of("grpc-encoding", "gzip"), frame(1, bomb)).status())
        .isEqualTo("8");
  }

  @Test
  void aCompressedMessageWithoutAnEncodingIsAnInvalidArgument() {
    assertThat(call("Echo", Map.of(), frame(1, new byte[] {1})).status()).isEqualTo("3");
    var identity = Map.of("grpc-encoding", "identity");
    assertThat(call("Echo", identity, frame(1, new byte[] {1})).status()).isEqualTo("3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "br", "snappy", "gzip, gzip", "gzip,deflate"})
  void anUnknownEncodingIsUnimplementedAndTheKnownOnesAreNamed(String encoding) throws IOException {
    Reply reply =
        call("Echo", Map.of("grpc-encoding", encoding), frame(1, gzip(gzip(new byte[5]))));
    assertThat(reply.status()).isEqualTo("12");
    assertThat(reply.accepted()).isEqualTo("identity,gzip,deflate");
  }

  @Test
  void bytesBehindACompressedMessageAreAnInvalidArgument() throws IOException {
    byte[] zipped = gzip(new byte[5]);
    byte[] more = Arrays.copyOf(zipped, zipped.length + 1);
    Reply reply = call("Echo", Map.of("grpc-encoding", "gzip"), frame(1, more));
    assertThat(reply.status()).isEqualTo("3");
    assertThat(reply.message()).contains("it has bytes behind its end: 1");
  }

  @Test
  void damagedCompressionIsAnInvalidArgument() {
    assertThat(call("Echo", Map.of("grpc-encoding", "gzip"), frame(1, new byte[] {1, 2})).status())
        .isEqualTo("3");
  }

  @Test
  void anUnknownFlagIsAnInvalidArgument() {
    assertThat(call("Echo", Map.of(), frame(7, new byte[0])).status()).isEqualTo("3");
  }

  @Test
  void anUnknownMethodIsUnimplemented() {
    assertThat(call("Nope", Map.of(), frame(0, new byte[0])).status()).isEqualTo("12");
  }

  @Test
  void aTimeoutThatIsNoneIsAnInvalidArgument() {
    assertThat(call("Echo", Map.of("grpc-timeout", "soon"), frame(0, new byte[0])).status())
        .isEqualTo("3");
  }

  @Test
  void aBugIsInternalAndItsTextStaysHere() {
    Reply reply = call("Fail", Map.of(), frame(0, new byte[0]));
    assertThat(reply.status()).isEqualTo("13");
    assertThat(reply.message()).doesNotContain("secret");
  }

  @Test
  void grpcWebGetsItsTrailersAsTheLastFrameOfTheBody() {
    Reply reply =
        call(
            "Echo", Map.of("content-type", "application/grpc-web+proto"), frame(0, new byte[] {7}));
    assertThat(reply.body().slice(0, 6)).isEqualTo(frame(0, new byte[] {7}));
    assertThat(reply.body().getByte(6)).isEqualTo((byte) 0x80);
    assertThat(reply.body().toString()).endsWith("grpc-status:0\r\n");
  }

  @Test
  void grpcWebTextIsTheSameInBase64() {
    Buffer text = Buffer.buffer(Base64.getEncoder().encode(frame(0, new byte[] {7}).getBytes()));
    Reply reply = call("Echo", Map.of("content-type", "application/grpc-web-text"), text);
    byte[] frames = Base64.getDecoder().decode(reply.body().getBytes());
    assertThat(Buffer.buffer(frames).slice(0, 6)).isEqualTo(frame(0, new byte[] {7}));
  }

  @Test
  void aMessageFormatOtherThanProtobufIsRefused() {
    assertThat(
            call("Echo", Map.of("content-type", "application/grpc+json"), frame(0, new byte[0]))
                .http())
        .isEqualTo(415);
  }
}
