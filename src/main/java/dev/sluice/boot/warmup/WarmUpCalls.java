package dev.sluice.boot.warmup;

import static dev.sluice.boot.warmup.WireBytes.ascii;
import static dev.sluice.boot.warmup.WireBytes.field;
import static dev.sluice.boot.warmup.WireBytes.frame;
import static dev.sluice.boot.warmup.WireBytes.join;
import static dev.sluice.boot.warmup.WireBytes.number;
import static dev.sluice.boot.warmup.WireBytes.sized;
import static dev.sluice.boot.warmup.WireBytes.varint;

import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * One inference by each protocol of a listener, in the bytes that a client sends: {@code 1.0}, to
 * the model {@code echo}. A client library would take longer to load than what it warms up.
 */
public final class WarmUpCalls {
  /** The name of the model that is asked. */
  public static final String MODEL = "echo";

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

  private WarmUpCalls() {}

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
  public static List<String> send(ListenerConfig listener, Connector connector) throws IOException {
    List<String> failures = new ArrayList<>();
    for (HttpCall call : httpCalls(listener)) {
      String status = http(call, connector);
      if (!status.contains(" 200 ")) {
        failures.add(call.path() + ": " + status);
      }
    }
    List<GrpcCall> calls = grpcCalls(listener);
    if (!calls.isEmpty() && !grpc(calls, connector)) {
      failures.add("gRPC: the connection was closed");
    }
    if (listener.protocols().contains(Protocol.BRPC)) {
      brpc(connector);
    }
    return failures;
  }

  /** A request of JSON; an empty body: GET. */
  record HttpCall(String path, String body) {}

  /** A call with one message. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record GrpcCall(String path, byte[] message) {}

  static List<HttpCall> httpCalls(ListenerConfig listener) {
    List<HttpCall> calls = new ArrayList<>();
    if (carries(listener, Protocol.TFS, Protocol.KSERVE)) {
      calls.add(new HttpCall("/v1/models/echo:predict", "{\"instances\":[1.0]}"));
    }
    if (carries(listener, Protocol.OIP)) {
      calls.add(
          new HttpCall(
              "/v2/models/echo/infer",
              "{\"inputs\":[{\"name\":\"x\",\"shape\":[1],\"datatype\":\"FP32\",\"data\":[1.0]}]}"));
    }
    if (carries(listener, Protocol.GRPS)) {
      calls.add(
          new HttpCall(
              "/grps/v1/infer/predict",
              "{\"model\":\"echo\",\"gtensors\":{\"tensors\":[{\"name\":\"x\","
                  + "\"dtype\":\"DT_FLOAT32\",\"shape\":[1],\"flat_float32\":[1.0]}]}}"));
    }
    return calls;
  }

  static List<GrpcCall> grpcCalls(ListenerConfig listener) {
    List<GrpcCall> calls = new ArrayList<>();
    if (carries(listener, Protocol.TFS)) {
      calls.add(new GrpcCall("/tensorflow.serving.PredictionService/Predict", tfsRequest()));
    }
    if (carries(listener, Protocol.OIP)) {
      calls.add(new GrpcCall("/inference.GRPCInferenceService/ModelInfer", oipRequest()));
    }
    if (carries(listener, Protocol.GRPS)) {
      calls.add(new GrpcCall("/grps.protos.v1.GrpsService/Predict", grpsMessage()));
    }
    return calls;
  }

  static boolean carries(ListenerConfig listener, Protocol... any) {
    return List.of(any).stream().anyMatch(listener.protocols()::contains);
  }

  static String http(HttpCall call, Connector connector) throws IOException {
    byte[] body = ascii(call.body());
    String head = "POST " + call.path() + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    String content = "Content-Type: application/json\r\nContent-Length: " + body.length;
    try (SocketChannel channel = connector.connect()) {
      Channels.newOutputStream(channel).write(join(ascii(head + content + "\r\n\r\n"), body));
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

  private static void brpc(Connector connector) throws IOException {
    byte[] meta =
        join(
            field(1, field(1, ascii("grps.protos.v1.GrpsBrpcService")), field(2, ascii("Predict"))),
            number(4, 1));
    byte[] message = grpsMessage();
    byte[] head =
        ByteBuffer.allocate(12)
            .put(ascii("PRPC"))
            .putInt(meta.length + message.length)
            .putInt(meta.length)
            .array();
    try (SocketChannel channel = connector.connect()) {
      Channels.newOutputStream(channel).write(join(head, meta, message));
      var in = new DataInputStream(Channels.newInputStream(channel));
      in.readInt();
      int length = in.readInt();
      in.skipNBytes(Integer.BYTES + (long) length);
    }
  }

  /** Returns a tensorflow.serving.PredictRequest. */
  private static byte[] tfsRequest() {
    byte[] shape = field(2, field(2, number(1, 1)));
    byte[] tensor = field(2, number(1, 1), shape, field(5, one()));
    return join(field(1, field(1, ascii(MODEL))), field(2, field(1, ascii("x")), tensor));
  }

  /** Returns an inference.ModelInferRequest. */
  private static byte[] oipRequest() {
    byte[] input = field(5, field(1, ascii("x")), field(2, ascii("FP32")), field(3, varint(1)));
    return join(field(1, ascii(MODEL)), input, field(7, one()));
  }

  /** Returns a grps.protos.v1.GrpsMessage. */
  static byte[] grpsMessage() {
    byte[] tensor =
        field(1, field(1, ascii("x")), number(2, 7), field(3, varint(1)), field(10, one()));
    return join(field(2, ascii(MODEL)), field(5, tensor));
  }

  private static byte[] one() {
    return ByteBuffer.allocate(Float.BYTES).order(ByteOrder.LITTLE_ENDIAN).putFloat(1).array();
  }
}
