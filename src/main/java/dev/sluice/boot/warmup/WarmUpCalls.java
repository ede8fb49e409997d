package dev.sluice.boot.warmup;

import static dev.sluice.boot.warmup.WireBytes.ascii;
import static dev.sluice.boot.warmup.WireBytes.frame;
import static dev.sluice.boot.warmup.WireBytes.join;
import static dev.sluice.boot.warmup.WireBytes.sized;

import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Inferences by each protocol of a listener to each of some models, in the bytes that clients send:
 * some numbers as {@code x}, in each form that clients choose, since what is compiled for one form
 * alone is compiled again at the first of another. A client library would take longer to load than
 * what it warms up.
 *
 * @param listener whose protocols are spoken
 * @param models the names of the models that are asked
 */
public record WarmUpCalls(ListenerConfig listener, List<String> models) {
  /** {@code :method: POST}, {@code :scheme: http} and {@code :authority: localhost}, in HPACK. */
  private static final byte[] POST_TO_LOCALHOST = HexFormat.of().parseHex("83864186a0e41d139d09");

  /** The rest of a gRPC call's headers, but for its path. */
  private static final byte[] GRPC_HEADERS =
      join(
          new byte[] {0x5f}, // content-type, by its place in HPACK's table
          sized("application/grpc"),
          new byte[] {0x40},
          sized("te"),
          sized("trailers"));

  /** Source of connections to the listener. */
  public interface Connector {
    /** Opens a blocking connection to the listener, which the caller closes. */
    SocketChannel connect() throws IOException;
  }

  /**
   * Sends them one after the other, and waits for each response.
   *
   * @return what was answered otherwise than by success, in words; empty if nothing was
   */
  public List<String> send(Connector connector) throws IOException {
    List<String> failures = new ArrayList<>();
    for (HttpCall call : httpCalls()) {
      String status = http(call, connector);
      if (!status.contains(" 200 ")) {
        failures.add(call.path() + ": " + status);
      }
    }
    List<GrpcCall> calls = grpcCalls();
    if (!calls.isEmpty() && !grpc(calls, connector)) {
      failures.add("gRPC: the connection was closed");
    }
    for (byte[] call : brpcCalls()) {
      brpc(call, connector);
    }
    return failures;
  }

  /** A call with one message. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record GrpcCall(String path, byte[] message) {}

  List<HttpCall> httpCalls() {
    List<HttpCall> calls = new ArrayList<>();
    for (String model : models) {
      if (carries(Protocol.TFS, Protocol.KSERVE)) {
        calls.addAll(HttpCall.v1(model));
      }
      if (carries(Protocol.OIP)) {
        calls.addAll(HttpCall.v2(model));
      }
      if (carries(Protocol.GRPS)) {
        calls.add(HttpCall.grps(model));
      }
    }
    return calls;
  }

  List<GrpcCall> grpcCalls() {
    List<GrpcCall> calls = new ArrayList<>();
    for (String model : models) {
      if (carries(Protocol.TFS)) {
        calls.addAll(InferenceMessages.tfs(model));
      }
      if (carries(Protocol.OIP)) {
        calls.addAll(InferenceMessages.oip(model));
      }
      if (carries(Protocol.GRPS)) {
        calls.addAll(InferenceMessages.grps(model));
      }
    }
    return calls;
  }

  List<byte[]> brpcCalls() {
    return carries(Protocol.BRPC)
        ? models.stream().map(InferenceMessages::brpc).toList()
        : List.of();
  }

  private boolean carries(Protocol... any) {
    return List.of(any).stream().anyMatch(listener.protocols()::contains);
  }

  static String http(HttpCall call, Connector connector) throws IOException {
    try (SocketChannel channel = connector.connect()) {
      Channels.newOutputStream(channel).write(call.request("Connection: close\r\n"));
      String answer =
          new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
      return answer.lines().findFirst().orElse("no answer");
    }
  }

  /** Returns whether each call's stream came to its end. */
  static boolean grpc(List<GrpcCall> calls, Connector connector) throws IOException {
    try (SocketChannel channel = connector.connect()) {
      OutputStream out = Channels.newOutputStream(channel);
      var in = new DataInputStream(Channels.newInputStream(channel));
      out.write(join(ascii(WireBytes.HTTP2_PREFACE), frame(WireBytes.SETTINGS, 0, 0)));
      for (int i = 0; i < calls.size(); i++) {
        int stream = 2 * i + 1;
        out.write(request(stream, calls.get(i)));
        if (!hasEnded(in, stream)) {
          return false;
        }
      }
      return true;
    }
  }

  static byte[] request(int stream, GrpcCall call) {
    byte[] path = join(new byte[] {0x44}, sized(call.path())); // :path, by its place in the table
    byte[] size = ByteBuffer.allocate(5).putInt(1, call.message().length).array();
    return join(
        frame(
            WireBytes.HEADERS,
            WireBytes.END_HEADERS,
            stream,
            POST_TO_LOCALHOST,
            path,
            GRPC_HEADERS),
        frame(WireBytes.DATA, WireBytes.END_STREAM, stream, size, call.message()));
  }

  private static boolean hasEnded(DataInputStream in, int stream) throws IOException {
    while (true) {
      int first = in.read();
      if (first < 0) {
        return false;
      }
      int length = first << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int on = in.readInt();
      in.skipNBytes(length);
      if (on == stream && type <= WireBytes.HEADERS && (flags & WireBytes.END_STREAM) != 0) {
        return true;
      }
    }
  }

  private static void brpc(byte[] call, Connector connector) throws IOException {
    try (SocketChannel channel = connector.connect()) {
      Channels.newOutputStream(channel).write(call);
      skipBrpcResponse(new DataInputStream(Channels.newInputStream(channel)));
    }
  }

  static void skipBrpcResponse(DataInputStream in) throws IOException {
    in.readInt();
    int length = in.readInt();
    in.skipNBytes(Integer.BYTES + (long) length);
  }
}
