package dev.sluice.boot.warmup;

import static dev.sluice.boot.warmup.WireBytes.ascii;
import static dev.sluice.boot.warmup.WireBytes.frame;
import static dev.sluice.boot.warmup.WireBytes.join;

import dev.sluice.boot.warmup.WarmUpCalls.Connector;
import dev.sluice.boot.warmup.WarmUpCalls.GrpcCall;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The calls of {@link WarmUpCalls} as busy clients send them: on several connections that are kept,
 * many at a time. What is compiled is what ran often, and one call after the other, each on a
 * connection of its own, is answered too seldom for that. Blocks; one thread.
 */
public final class SustainedCalls implements AutoCloseable {
  private static final int CONNECTIONS = 8;
  private static final int CALLS_AT_A_TIME = 4;

  /** Far more than the responses of one connection take. */
  private static final int WINDOW = 1 << 30;

  private static final int END_OF_HEAD = 0x0d0a0d0a;
  private static final String LENGTH = "content-length: ";

  private final List<Connection> connections = new ArrayList<>();

  private SustainedCalls() {}

  /** Opens the connections, which {@link #close} closes. */
  public static SustainedCalls open(WarmUpCalls calls, Connector connector) throws IOException {
    var sustained = new SustainedCalls();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        sustained.connect(calls, connector);
      }
      return sustained;
    } catch (IOException e) {
      sustained.close();
      throw e;
    }
  }

  private void connect(WarmUpCalls calls, Connector connector) throws IOException {
    List<HttpCall> http = calls.httpCalls();
    if (!http.isEmpty()) {
      connections.add(new HttpConnection(connector.connect(), http));
    }
    List<GrpcCall> grpc = calls.grpcCalls();
    if (!grpc.isEmpty()) {
      connections.add(new GrpcConnection(connector.connect(), grpc));
    }
    List<byte[]> brpc = calls.brpcCalls();
    if (!brpc.isEmpty()) {
      connections.add(new BrpcConnection(connector.connect(), brpc));
    }
  }

  /** Sends some calls on each connection, then waits for all responses. */
  public void send() throws IOException {
    for (Connection connection : connections) {
      connection.send();
    }
    for (Connection connection : connections) {
      connection.receive();
    }
  }

  @Override
  public void close() throws IOException {
    for (Connection connection : connections) {
      connection.close();
    }
  }

  /** One connection and what is sent on it at a time. */
  private abstract static class Connection {
    private final SocketChannel channel;
    final DataInputStream in;

    Connection(SocketChannel channel) {
      this.channel = channel;
      this.in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel)));
    }

    abstract void send() throws IOException;

    /** Reads the responses to all that was sent. */
    abstract void receive() throws IOException;

    final void write(byte[] bytes) throws IOException {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }

    final void close() throws IOException {
      channel.close();
    }
  }

  /** Sends the same requests each time; their responses come one after another. */
  private abstract static class PipelinedConnection extends Connection {
    private final byte[] requests;
    private final int responses;

    PipelinedConnection(SocketChannel channel, List<byte[]> calls) {
      super(channel);
      byte[] once = join(calls.toArray(byte[][]::new));
      this.requests = join(Collections.nCopies(CALLS_AT_A_TIME, once).toArray(byte[][]::new));
      this.responses = CALLS_AT_A_TIME * calls.size();
    }

    @Override
    final void send() throws IOException {
      write(requests);
    }

    @Override
    final void receive() throws IOException {
      for (int i = 0; i < responses; i++) {
        skipResponse();
      }
    }

    abstract void skipResponse() throws IOException;
  }

  private static final class HttpConnection extends PipelinedConnection {
    HttpConnection(SocketChannel channel, List<HttpCall> calls) {
      super(channel, calls.stream().map(call -> call.request("")).toList());
    }

    @Override
    void skipResponse() throws IOException {
      in.skipNBytes(lengthOfBody());
    }

    /** Reads the head of a response. */
    private int lengthOfBody() throws IOException {
      var head = new StringBuilder();
      int last = 0;
      while (last != END_OF_HEAD) {
        int next = in.readUnsignedByte();
        last = last << 8 | next;
        head.append((char) next);
      }
      int length = head.indexOf(LENGTH);
      if (length < 0) {
        throw new IOException("a response without its length: " + head);
      }
      length += LENGTH.length();
      return Integer.parseInt(head, length, head.indexOf("\r", length), 10);
    }
  }

  private static final class GrpcConnection extends Connection {
    private final List<GrpcCall> calls;
    private int stream = 1;
    private int last = -1;

    GrpcConnection(SocketChannel channel, List<GrpcCall> calls) throws IOException {
      super(channel);
      this.calls = calls;
      byte[] window = ByteBuffer.allocate(Integer.BYTES).putInt(WINDOW).array();
      write(
          join(
              ascii(WireBytes.HTTP2_PREFACE),
              frame(WireBytes.SETTINGS, 0, 0),
              frame(WireBytes.WINDOW_UPDATE, 0, 0, window)));
    }

    @Override
    void send() throws IOException {
      byte[] requests = new byte[0];
      for (int i = 0; i < CALLS_AT_A_TIME; i++) {
        for (GrpcCall call : calls) {
          requests = join(requests, WarmUpCalls.request(stream, call));
          last = stream;
          stream += 2;
        }
      }
      write(requests);
    }

    @Override
    void receive() throws IOException {
      int open = CALLS_AT_A_TIME * calls.size();
      while (open > 0) {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int on = in.readInt();
        in.skipNBytes(length);
        if (type <= WireBytes.HEADERS && (flags & WireBytes.END_STREAM) != 0 && on <= last) {
          open--;
        }
      }
    }
  }

  private static final class BrpcConnection extends PipelinedConnection {
    BrpcConnection(SocketChannel channel, List<byte[]> calls) {
      super(channel, calls);
    }

    @Override
    void skipResponse() throws IOException {
      WarmUpCalls.skipBrpcResponse(in);
    }
  }
}
