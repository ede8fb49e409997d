package dev.sluice.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.RawHttp2.Frame;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client of HTTP/2 sees, frame by frame, when its listener closes. */
@Timeout(60)
class Http2DrainIT {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;

  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;

  /** Longer than the server waits for the answer to its PING. */
  private static final int TIMEOUT_MILLIS = 20_000;

  private EchoListener listener;
  private Socket socket;
  private DataInputStream in;

  @BeforeEach
  void connect() throws IOException {
    listener = new EchoListener(LimitsConfig.DEFAULT);
    socket = new Socket("localhost", listener.port());
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new DataInputStream(socket.getInputStream());
    socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    send(SETTINGS, 0, 0);
    assertThat(await(SETTINGS).flags()).isZero();
    send(SETTINGS, ACK, 0);
  }

  private void send(int type, int flags, int stream, byte... payload) throws IOException {
    byte[] frame =
        ByteBuffer.allocate(9 + payload.length)
            .put((byte) 0)
            .putShort((short) payload.length)
            .put((byte) type)
            .put((byte) flags)
            .putInt(stream)
            .put(payload)
            .array();
    socket.getOutputStream().write(frame);
  }

  /** POST /echo, by entries of the static table. */
  private void begin(int stream) throws IOException {
    var block = new ByteArrayOutputStream();
    block.writeBytes(new byte[] {(byte) 0x83, (byte) 0x86, 4, 5});
    block.writeBytes("/echo".getBytes(US_ASCII));
    block.writeBytes(new byte[] {1, 9});
    block.writeBytes("localhost".getBytes(US_ASCII));
    send(HEADERS, END_HEADERS, stream, block.toByteArray());
  }

  private void end(int stream, String body) throws IOException {
    send(DATA, END_STREAM, stream, body.getBytes(UTF_8));
  }

  private Frame await(int type) throws IOException {
    return Frame.await(in, type);
  }

  /** The next DATA with bytes in it. */
  private Frame answer() throws IOException {
    Frame frame = await(DATA);
    while (frame.payload().length == 0) {
      frame = await(DATA);
    }
    return frame;
  }

  private void assertAnswered(int stream, String body) throws IOException {
    Frame answer = answer();
    assertThat(answer.stream()).isEqualTo(stream);
    assertThat(new String(answer.payload(), UTF_8)).isEqualTo(body);
  }

  private CompletableFuture<Void> close() {
    return CompletableFuture.runAsync(listener::close);
  }

  @Test
  void streamsFinishThatBeganBeforeTheClientCouldKnow() throws Exception {
    begin(1);
    CompletableFuture<Void> closed = close();
    // A stream is open, and the connection is asked all the same. Clients by h2 take nothing but
    // GOAWAY after a GOAWAY.
    Frame ping = await(PING);
    assertThat(await(GOAWAY).number()).isEqualTo(Integer.MAX_VALUE);
    begin(3);
    end(3, "was on its way");
    assertAnswered(3, "was on its way");
    send(PING, ACK, 0, ping.payload());
    assertThat(await(GOAWAY).number()).isEqualTo(3);
    end(1, "is long");
    assertAnswered(1, "is long");
    assertThat(in.read()).isEqualTo(-1);
    socket.close();
    closed.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Test
  void framesOfRefusedStreamsHarmNoOther() throws Exception {
    begin(1);
    CompletableFuture<Void> closed = close();
    send(PING, ACK, 0, await(PING).payload());
    assertThat(await(GOAWAY).number()).isEqualTo(Integer.MAX_VALUE);
    assertThat(await(GOAWAY).number()).isEqualTo(1);
    begin(3);
    send(DATA, 0, 3, "refused".getBytes(UTF_8));
    send(WINDOW_UPDATE, 0, 3, (byte) 0, (byte) 0, (byte) 0, (byte) 9);
    send(RST_STREAM, 0, 3, (byte) 0, (byte) 0, (byte) 0, (byte) 8);
    begin(5);
    end(5, "refused, too");
    end(1, "is long");
    assertAnswered(1, "is long");
    assertThat(in.read()).isEqualTo(-1);
    socket.close();
    closed.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Test
  void aClientThatAnswersNoPingIsNotWaitedForLong() throws Exception {
    CompletableFuture<Void> closed = close();
    assertThat(await(GOAWAY).number()).isEqualTo(Integer.MAX_VALUE);
    assertThat(await(GOAWAY).number()).isZero();
    assertThat(in.read()).isEqualTo(-1);
    closed.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }
}
