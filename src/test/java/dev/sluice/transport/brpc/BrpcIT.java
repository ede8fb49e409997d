package dev.sluice.transport.brpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.BrpcClient.Answer;
import dev.sluice.testing.BrpcClient.Call;
import dev.sluice.testing.EchoListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.compression.Snappy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BrpcIT {
  private static final int MAX_BODY = 300_000;
  private static final int MAX_INFLATED = 400_000;
  private static final LimitsConfig LIMITS =
      new LimitsConfig(MAX_BODY, MAX_INFLATED, 100_000, Duration.ZERO, Duration.ofMinutes(1), 2);

  private EchoListener listener;
  private BrpcClient client;

  @BeforeEach
  void open() throws IOException {
    listener = new EchoListener(LIMITS);
    client = new BrpcClient(listener.port());
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    listener.close();
  }

  private static Call call(String method, long id) {
    return new Call("test.Echo", method, id);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void aMessageComesBackUnderItsNumber() throws IOException {
    Answer answer = client.ask(call("Echo", 7), bytes("hello"));
    assertThat(answer.errorCode()).isZero();
    assertThat(answer.correlationId()).isEqualTo(7);
    assertThat(answer.text()).isEqualTo("hello");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE})
  void anyNumberIsGivenBack(long id) throws IOException {
    assertThat(client.ask(call("Echo", id), bytes("")).correlationId()).isEqualTo(id);
  }

  @Test
  void aFrameMayComeByteByByteAndTwoAtOnce() throws IOException {
    for (byte one : call("Echo", 1).frame(bytes("slowly"))) {
      client.send(new byte[] {one});
    }
    assertThat(client.answer().text()).isEqualTo("slowly");
    var two = new ByteArrayOutputStream();
    two.write(call("Echo", 2).frame(bytes("a")));
    two.write(call("Echo", 3).frame(bytes("b")));
    client.send(two.toByteArray());
    assertThat(client.answer().text() + client.answer().text()).isEqualTo("ab");
  }

  @Test
  void largeMessagesAreWholeWhenTheyComeBack() throws IOException {
    String large = "0123456789".repeat(MAX_BODY / 10);
    assertThat(client.ask(call("Echo", 1), bytes(large)).text()).isEqualTo(large);
  }

  @Test
  void theFirstThatCompletesIsAnsweredFirst() throws Exception {
    client.send(call("Hold", 1).frame(bytes("first")));
    assertThat(client.ask(call("Echo", 2), bytes("second")).correlationId()).isEqualTo(2);
    listener.held().release();
    Answer late = client.answer();
    assertThat(late.correlationId()).isEqualTo(1);
    assertThat(late.text()).isEqualTo("first");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void everyCompressionIsUndone(int how) throws IOException {
    String text = "to be or not to be ".repeat(1000);
    Answer answer = client.ask(call("Echo", 1).compressed(how), compress(how, bytes(text)));
    assertThat(answer.errorText()).isEmpty();
    assertThat(answer.text()).isEqualTo(text);
  }

  private interface Coding {
    OutputStream over(OutputStream out) throws IOException;
  }

  private static byte[] compress(int how, byte[] plain) throws IOException {
    return switch (how) {
      case 1 -> snappy(plain);
      case 2 -> deflated(plain, GZIPOutputStream::new);
      case 3 -> deflated(plain, DeflaterOutputStream::new);
      default -> plain;
    };
  }

  private static byte[] snappy(byte[] plain) {
    ByteBuf out = Unpooled.buffer();
    new Snappy().encode(Unpooled.wrappedBuffer(plain), out, plain.length);
    return ByteBufUtil.getBytes(out);
  }

  private static byte[] deflated(byte[] plain, Coding coding) throws IOException {
    var out = new ByteArrayOutputStream();
    try (OutputStream deflater = coding.over(out)) {
      deflater.write(plain);
    }
    return out.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whatInflatesBeyondTheLimitIsRefusedAndTheConnectionGoesOn(int how) throws IOException {
    byte[] bomb = compress(how, new byte[MAX_INFLATED + 1]);
    Answer answer = client.ask(call("Echo", 1).compressed(how), bomb);
    assertThat(answer.errorCode()).isEqualTo(1003);
    assertThat(answer.errorText()).contains("400000", "limits.max_inflated_size");
    assertThat(client.ask(call("Echo", 2), bytes("on")).text()).isEqualTo("on");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 | 05106865              | it announces 5 bytes, got 0
          1 | ffffffffff            | length
          1 | 80b518                | more than snappy can make
          1 | 0c00611d010062        | cannot be decompressed
          1 | 0c00611d09            | cannot be decompressed
          2 | 1f8b0800              | cannot be decompressed
          2 | 1f8b080000000000000003000000000000000000ff | it has bytes behind its end: 1
          3 | 789c030000000001ff    | it has bytes behind its end: 1
          3 | 789c00                | cannot be decompressed
          4 | 00                    | compress_type is 4
          -1 | 00                   | compress_type is -1
          """)
  void aDamagedCompressionIsTheCallersFault(int how, String hex, String why) throws IOException {
    Answer answer = client.ask(call("Echo", 1).compressed(how), HexFormat.of().parseHex(hex));
    assertThat(answer.errorCode()).isEqualTo(1003);
    assertThat(answer.errorText()).contains(why);
  }

  @Test
  void snappyIsReadAsItsFormatSaysIt() throws IOException {
    byte[] copied = HexFormat.of().parseHex("0c00611d01");
    assertThat(client.ask(call("Echo", 1).compressed(1), copied).text()).isEqualTo("aaaaaaaaaaaa");
  }

  @Test
  void whatIsAttachedIsNoPartOfTheMessage() throws IOException {
    Answer answer = client.ask(call("Echo", 1).attaching(3), bytes("helloxyz"));
    assertThat(answer.text()).isEqualTo("hello");
    Answer refused = client.ask(call("Echo", 2).attaching(9), bytes("helloxyz"));
    assertThat(refused.errorCode()).isEqualTo(1003);
    assertThat(refused.errorText()).contains("attachment_size is 9", "0 to 8");
  }

  @Test
  void aUserFieldThatIsReadAndIsWrongIsTheCallersFault() throws IOException {
    Call call = call("Echo", 1).saying(Map.of("Request-Timeout", "soon"));
    Answer answer = client.ask(call, bytes("a"));
    assertThat(answer.errorCode()).isEqualTo(1003);
    assertThat(answer.errorText()).contains("Request-Timeout", "soon");
    assertThat(client.ask(call("Echo", 2), bytes("on")).text()).isEqualTo("on");
  }

  @Test
  void userFieldsAreTakenUpToALimit() throws IOException {
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < 64; i++) {
      fields.put("field-" + i, "ä".repeat(100));
    }
    assertThat(client.ask(call("Echo", 1).saying(fields), bytes("a")).userFields()).isEmpty();
    fields.put("field-64", "");
    client.send(call("Echo", 2).saying(fields).frame(bytes("b")));
    assertThat(client.isClosedByServer()).isTrue();
  }

  @Test
  void anUnknownServiceOrMethodIsNamed() throws IOException {
    Answer service = client.ask(new Call("test.Ekko", "Echo", 1), bytes(""));
    assertThat(service.errorCode()).isEqualTo(1001);
    assertThat(service.errorText()).contains("test.Ekko", "test.Echo");
    Answer method = client.ask(call("Shout", 2), bytes(""));
    assertThat(method.errorCode()).isEqualTo(1002);
    assertThat(method.errorText()).contains("Shout");
  }

  @Test
  void aBugIsNotExplainedToTheClient() throws IOException {
    Answer answer = client.ask(call("Fail", 1), bytes(""));
    assertThat(answer.errorCode()).isEqualTo(2001);
    assertThat(answer.errorText()).isEqualTo("internal error");
  }

  @Test
  void aBodyBeyondTheLimitIsAnsweredAndTheConnectionClosed() throws IOException {
    byte[] frame = call("Echo", 5).frame(new byte[MAX_BODY + 1]);
    client.send(java.util.Arrays.copyOf(frame, 200));
    Answer answer = client.answer();
    assertThat(answer.correlationId()).isEqualTo(5);
    assertThat(answer.errorCode()).isEqualTo(1003);
    assertThat(answer.errorText()).contains("300001", "300000", "limits.max_body_size");
    assertThat(client.isClosedByServer()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "50525043 00000004 00000005 0a000000", // a meta longer than its frame
        "50525043 7fffffff 7fffffff", // a meta longer than any
        "50525043 ffffffff ffffffff", // lengths are not signed
        "50525043 00000000 00000000", // nothing
        "50525043 00000002 00000002 1200", // an answer
        "50525043 00000002 00000002 0a7f", // a meta that is cut off
      })
  void framesThatAreNoneCloseTheConnection(String hex) throws IOException {
    client.send(HexFormat.of().parseHex(hex.replace(" ", "")));
    assertThat(client.isClosedByServer()).isTrue();
  }

  @Test
  void bytesBetweenFramesCloseTheConnection() throws IOException {
    assertThat(client.ask(call("Echo", 1), bytes("a")).text()).isEqualTo("a");
    client.send(bytes("GET / HTTP/1.1\r\n\r\n"));
    assertThat(client.isClosedByServer()).isTrue();
  }

  @Test
  void otherClientsOfThePortSpeakHttp() throws Exception {
    client.ask(call("Echo", 1), bytes("a"));
    try (HttpClient http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(listener.url() + "/echo"))
              .POST(HttpRequest.BodyPublishers.ofString("by HTTP"))
              .build();
      assertThat(http.send(request, BodyHandlers.ofString()).body()).isEqualTo("by HTTP");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"P", "PR", "PRO", "PRPX"})
  void aMethodThatBeginsAlikeIsHttp(String beginning) throws IOException {
    try (Socket socket = new Socket("localhost", listener.port())) {
      OutputStream out = socket.getOutputStream();
      out.write(bytes(beginning));
      out.flush();
      out.write(bytes("OST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"));
      assertThat(new String(socket.getInputStream().readNBytes(8), UTF_8)).isEqualTo("HTTP/1.1");
    }
  }

  @Test
  void connectionsCountAsAllOthersDo() throws IOException {
    client.ask(call("Echo", 1), bytes("a"));
    try (BrpcClient second = new BrpcClient(listener.port());
        BrpcClient third = new BrpcClient(listener.port())) {
      assertThat(second.ask(call("Echo", 1), bytes("b")).text()).isEqualTo("b");
      third.send(call("Echo", 1).frame(bytes("c")));
      assertThat(third.isClosedByServer()).isTrue();
    }
  }

  @Test
  void disconnectingCancelsTheCalls() throws Exception {
    client.send(call("Hold", 1).frame(bytes("a")));
    client.send(call("Hold", 2).frame(bytes("b")));
    listener.held().awaitCalls(2);
    client.close();
    listener.held().awaitDisconnected(2);
  }

  @Test
  void nothingIsReadWhileAsManyCallsAreUnderWayAsMayBe() throws Exception {
    for (int i = 0; i < 1000; i++) {
      client.send(call("Hold", i).frame(bytes("held")));
    }
    listener.held().awaitCalls(1000);
    client.send(call("Echo", 1000).frame(bytes("behind")));
    listener.held().release();
    assertThat(client.answer().correlationId()).isZero();
    assertThat(client.answer().correlationId()).isEqualTo(1000);
  }

  @Test
  void callsUnderWayAreAnsweredWhenTheListenerCloses() throws Exception {
    client.send(call("Hold", 1).frame(bytes("under way")));
    listener.held().awaitCalls(1);
    CompletableFuture<Void> closed = CompletableFuture.runAsync(listener::close);
    Answer late = client.ask(call("Echo", 2), bytes("too late"));
    while (late.errorCode() != 2003) {
      // The listener had not begun to close.
      late = client.ask(call("Echo", 2), bytes("too late"));
    }
    assertThat(late.errorText()).isEqualTo("the server is stopping");
    listener.held().release();
    assertThat(client.answer().text()).isEqualTo("under way");
    assertThat(client.isClosedByServer()).isTrue();
    closed.join();
  }
}
