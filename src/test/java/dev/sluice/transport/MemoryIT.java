package dev.sluice.transport;

import static dev.sluice.testing.RawHttp2.PREFACE;
import static dev.sluice.testing.RawHttp2.SETTINGS;
import static dev.sluice.testing.RawHttp2.headers;
import static dev.sluice.testing.RawHttp2.joined;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.RecordCopy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.StreamResetException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Clients that make the server hold memory, and one beside them that means well. What the server
 * holds is nothing again at the end: the listener looks when it closes.
 */
@Timeout(60)
class MemoryIT {
  private static final int MIB = 1024 * 1024;
  private static final int MEMORY = 16 * MIB;
  private static final int LARGE = 6 * MIB;

  private final EchoListener listener =
      new EchoListener(
          RecordCopy.with(
              new LimitsConfig(64 * MIB, 64 * MIB, MIB, Duration.ZERO, Duration.ZERO, 0),
              "memory",
              (long) MEMORY));
  private final Vertx vertx = Vertx.vertx();
  private final java.net.http.HttpClient friend = java.net.http.HttpClient.newHttpClient();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private HttpClient client;

  @BeforeEach
  void open() {
    log.list = new CopyOnWriteArrayList<>();
    log.start();
    transport().addAppender(log);
    client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false),
            new PoolOptions().setHttp2MaxSize(1));
  }

  @AfterEach
  void close() {
    await(vertx.close());
    friend.close();
    listener.close();
    transport().detachAppender(log);
  }

  private static Logger transport() {
    return (Logger) LoggerFactory.getLogger("dev.sluice.transport");
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  private void theFriendIsAnswered() throws Exception {
    for (var version : java.net.http.HttpClient.Version.values()) {
      var request =
          HttpRequest.newBuilder(URI.create(listener.url() + "/echo"))
              .version(version)
              .POST(BodyPublishers.ofByteArray(new byte[20_000]));
      assertThat(send(request.build())).as(version.name()).isEqualTo(200);
    }
  }

  /** Says what the server logged where it does not answer at all. */
  private int send(HttpRequest request) throws InterruptedException {
    try {
      return friend.send(request, BodyHandlers.ofByteArray()).statusCode();
    } catch (IOException e) {
      List<String> said = log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
      throw new AssertionError(
          "no answer to the friend's %s; %d bytes are held, logged: %s"
              .formatted(request.version(), listener.memory().held(), said),
          e);
    }
  }

  /** What a connection gets until this has come. */
  private static String answer(Socket socket, String last) throws IOException {
    var text = new StringBuilder();
    while (text.indexOf(last) < 0) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        break;
      }
      text.append((char) next);
    }
    return text.toString();
  }

  private Socket open(String head) throws IOException {
    var socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.setSoTimeout(20_000);
    socket.connect(new InetSocketAddress("localhost", listener.port()));
    socket.getOutputStream().write(head.getBytes(US_ASCII));
    return socket;
  }

  private Socket slowBody(int length) throws IOException {
    Socket socket =
        open("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + "\r\n\r\n");
    socket.getOutputStream().write(new byte[1000]);
    return socket;
  }

  @Test
  void slowBodiesAreReservedAsAWholeAndThoseBeyondTheBudgetAreRefused() throws Exception {
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 5; i++) {
        slow.add(slowBody(LARGE));
      }
      for (Socket refused : slow.subList(2, 5)) {
        String answer = answer(refused, "limits.memory)");
        assertThat(answer).startsWith("HTTP/1.1 429").containsIgnoringCase("retry-after: 1");
        theFriendIsAnswered();
      }
      // The friend's last answer may have arrived before the server has counted it as taken.
      assertThat(listener.memory().held()).isBetween(2L * LARGE, 2L * LARGE + 100_000);
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  @Test
  void aBodyLargerThanTheBudgetEverHoldsIsTooLargeAtOnce() throws Exception {
    try (Socket socket = slowBody(9 * MIB)) {
      assertThat(answer(socket, "limits.memory)")).startsWith("HTTP/1.1 413");
    }
  }

  @Test
  void aBodyThatWaitsForMemoryGoesOnWhenThereIsSome() throws Exception {
    Socket first = slowBody(LARGE);
    Socket second = slowBody(LARGE);
    try (Socket third = slowBody(LARGE)) {
      first.close();
      second.close();
      third.getOutputStream().write(new byte[LARGE - 1000]);
      assertThat(answer(third, "\r\n")).startsWith("HTTP/1.1 200");
    } finally {
      second.close();
    }
  }

  /** Writes in the background: the server may stop reading, and then close. */
  private static void write(Socket socket, int bytes) {
    write(socket, new byte[bytes]);
  }

  private static void write(Socket socket, byte[] bytes) {
    Thread.ofVirtual()
        .start(() -> {
          try {
            socket.getOutputStream().write(bytes);
          } catch (IOException e) {
            // Refused.
          }
        });
  }

  @Test
  void bodiesOfUnknownLengthAreCountedAsTheyArriveAndRefusedBeyondTheBudget() throws Exception {
    List<Socket> slow = new ArrayList<>();
    try {
      String head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
      for (int i = 0; i < 5; i++) {
        slow.add(open(head + "500000\r\n"));
        write(slow.getLast(), 5 * MIB);
      }
      long refused = 0;
      for (Socket socket : slow) {
        socket.setSoTimeout(3_000);
        try {
          if (answer(socket, "limits.memory)").startsWith("HTTP/1.1 429")) {
            refused++;
          }
        } catch (SocketTimeoutException e) {
          // All that came of this one is held.
        }
      }
      assertThat(refused).isBetween(2L, 4L);
      assertThat(listener.memory().held()).isLessThanOrEqualTo(MEMORY);
      theFriendIsAnswered();
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  private Future<HttpClientRequest> unfinished(int announced, int sent) {
    return client
        .request(HttpMethod.POST, listener.port(), "localhost", "/test.Echo/Echo")
        .map(request -> {
          request.putHeader("content-type", "application/grpc").setChunked(true);
          Buffer head = Buffer.buffer().appendByte((byte) 0).appendInt(announced);
          request.write(head.appendBytes(new byte[sent]));
          return request;
        });
  }

  @Test
  void unfinishedMessagesOfOneConnectionAreReservedAndThoseBeyondTheBudgetAreRefused()
      throws Exception {
    int count = 40;
    List<HttpClientRequest> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      calls.add(await(unfinished(MIB, 300_000)));
    }
    int refused = 0;
    for (HttpClientRequest call : calls) {
      var answer = call.response();
      theFriendIsAnswered();
      if (calls.indexOf(call) >= 14) {
        assertThat(await(answer).getHeader("grpc-status")).isEqualTo("8");
        assertThat(await(answer).getHeader("grpc-message")).contains("limits.memory");
        refused++;
      }
    }
    assertThat(refused).isEqualTo(26);
    calls.forEach(HttpClientRequest::reset);
  }

  @Test
  void manySmallUnfinishedMessagesStayWithinTheBudget() throws Exception {
    for (int i = 0; i < 900; i++) {
      await(unfinished(50_000, 40_000));
    }
    assertThat(listener.memory().held()).isLessThanOrEqualTo(MEMORY);
    await(client.close());
  }

  /** A connection's stream, of which the server takes one message of 100 bytes and no more. */
  private Future<HttpClientRequest> stalled(HttpClient from, int more) {
    return from.request(HttpMethod.POST, listener.port(), "localhost", "/test.Echo/Stall")
        .map(request -> {
          request.putHeader("content-type", "application/grpc").setChunked(true);
          Buffer head = Buffer.buffer().appendByte((byte) 0).appendInt(100);
          request.write(head.appendBytes(new byte[100 + more]));
          return request;
        });
  }

  @Test
  void bytesThatNoStreamTakesAreCountedAndStreamsBeyondTheBudgetAreReset() throws Exception {
    List<HttpClientRequest> streams = new ArrayList<>();
    List<HttpClient> clients = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      var options =
          new HttpClientOptions()
              .setProtocolVersion(HttpVersion.HTTP_2)
              .setHttp2ClearTextUpgrade(false);
      clients.add(vertx.createHttpClient(options));
      streams.add(await(stalled(clients.getLast(), 3 * MIB)));
    }
    int reset = 0;
    for (HttpClientRequest stream : streams) {
      try {
        stream.response().toCompletionStage().toCompletableFuture().get(4, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        assertThat(e.getCause())
            .isInstanceOfSatisfying(
                StreamResetException.class, why -> assertThat(why.getCode()).isEqualTo(11));
        reset++;
      } catch (TimeoutException e) {
        // All that came of this one is held.
      }
      theFriendIsAnswered();
    }
    assertThat(reset).isBetween(6, 9);
    assertThat(listener.memory().held()).isBetween(8L * MIB, (long) MEMORY);
    for (HttpClient one : clients) {
      await(one.close());
    }
  }

  @Test
  void headsOfOpenStreamsAreCounted() throws Exception {
    String large = "x".repeat(7_000);
    List<HttpClientRequest> calls = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      calls.add(
          await(
              client
                  .request(HttpMethod.POST, listener.port(), "localhost", "/test.Echo/Echo")
                  .map(request -> {
                    request.putHeader("content-type", "application/grpc").setChunked(true);
                    request.putHeader("x-large", large).writeHead();
                    return request;
                  })));
    }
    while (listener.memory().held() < 2 * MIB) {
      theFriendIsAnswered();
    }
    calls.forEach(HttpClientRequest::reset);
    await(client.close());
  }

  @Test
  void aConnectionWhoseHeadsAreBeyondTheBudgetIsNotRead() throws Exception {
    var heads = new ByteArrayOutputStream();
    heads.writeBytes(joined(PREFACE, SETTINGS));
    for (int stream = 1; stream < 1_800; stream += 2) {
      heads.writeBytes(headers(stream, "/test.Echo/Echo", "application/grpc", 15_000));
    }
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        sockets.add(open(""));
        write(sockets.getLast(), heads.toByteArray());
      }
      // The first is held. Each of the others is refused when it has waited, and again.
      while (listener.memory().refusals() < 6) {
        assertThat(listener.memory().held()).isLessThan(MEMORY + MIB);
        theFriendIsAnswered();
      }
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static byte[] bomb(int size) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(bytes)) {
      byte[] zeros = new byte[MIB];
      for (int i = 0; i < size; i += MIB) {
        gzip.write(zeros);
      }
    }
    return bytes.toByteArray();
  }

  @Test
  void bodiesThatInflateHugelyAreRefusedWhereTheirBytesDoNotFit() throws Exception {
    byte[] bomb = bomb(60 * MIB);
    for (String coding : List.of("gzip", "deflate")) {
      byte[] body = coding.equals("gzip") ? bomb : deflated(bomb);
      var request =
          HttpRequest.newBuilder(URI.create(listener.url() + "/echo"))
              .header("Content-Encoding", coding)
              .POST(BodyPublishers.ofByteArray(body));
      var answers = new ArrayList<CompletableFuture<Integer>>();
      for (int i = 0; i < 4; i++) {
        answers.add(
            friend
                .sendAsync(request.build(), BodyHandlers.ofString())
                .thenApply(HttpResponse::statusCode));
      }
      theFriendIsAnswered();
      assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isEqualTo(429));
    }
  }

  /** The same without gzip's head and trailer. */
  private static byte[] deflated(byte[] gzip) {
    return Arrays.copyOfRange(gzip, 10, gzip.length - 8);
  }

  @Test
  void unreadAnswersAreCountedUntilTheClientDisconnects() throws Exception {
    List<Socket> readers = new ArrayList<>();
    try {
      for (int i = 0; i < 8; i++) {
        readers.add(slowBody(5 * MIB));
        write(readers.getLast(), 5 * MIB - 1000);
        if (i == 0) {
          assertThat(answer(readers.getFirst(), "\r\n")).startsWith("HTTP/1.1 200");
        }
      }
      // The first is answered, and the answer is not taken; all others are refused.
      List<String> statuses = new ArrayList<>();
      for (Socket reader : readers.subList(1, 8)) {
        statuses.add(answer(reader, "\r\n"));
      }
      assertThat(statuses).allSatisfy(status -> assertThat(status).startsWith("HTTP/1.1 429"));
      assertThat(listener.memory().held()).isBetween(5L * MIB, (long) MEMORY);
      theFriendIsAnswered();
    } finally {
      for (Socket socket : readers) {
        socket.close();
      }
    }
  }

  @Test
  void aClientThatPipelinesAndTakesNoAnswerIsNotReadFrom() throws Exception {
    byte[] request =
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 800\r\n\r\n".getBytes(US_ASCII);
    ByteBuffer many = ByteBuffer.allocate((request.length + 800) * 100);
    for (int i = 0; i < 100; i++) {
      many.put(request).put(new byte[800]);
    }
    try (var channel = SocketChannel.open()) {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
      channel.connect(new InetSocketAddress("localhost", listener.port()));
      channel.configureBlocking(false);
      long written = 0;
      for (int idle = 0; idle < 10 && written < 200L * MIB; ) {
        many.limit(many.capacity());
        if (!many.hasRemaining() || many.position() == 0) {
          many.rewind();
        }
        int taken = channel.write(many);
        written += taken;
        if (taken == 0) {
          idle++;
          theFriendIsAnswered();
        } else {
          idle = 0;
        }
      }
      assertThat(written).isLessThan(64L * MIB);
      assertThat(listener.memory().held()).isLessThan(MIB);
    }
  }
}
