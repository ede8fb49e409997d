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
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One inference by each protocol of a listener to each of some models, in the bytes that a client
 * sends: four numbers as {@code x}. A client library would take longer to load than what it warms
 * up.
 *
 * @param listener whose protocols are spoken
 * @param models the names of the models that are asked
 */
public record WarmUpCalls(ListenerConfig listener, List<String> models) {
  private static final String VALUES = "[1.0,2.5,3,-4e-1]";
  private static final int MANY = 40;

  /** Of different lengths, as numbers of clients are. */
  private static final String MANY_VALUES =
      IntStream.range(0, MANY)
          .mapToObj(i -> Float.toString((i - MANY / 2) / (1f + i % 7)))
          .collect(Collectors.joining(",", "[", "]"));

  private static final float[] NUMBERS = {1, 2.5f, 3, -0.4f};

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

  /** A request of JSON; an empty body: GET. */
  record HttpCall(String path, String body) {}

  /** A call with one message. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record GrpcCall(String path, byte[] message) {}

  List<HttpCall> httpCalls() {
    List<HttpCall> calls = new ArrayList<>();
    for (String model : models) {
      if (carries(Protocol.TFS, Protocol.KSERVE)) {
        calls.add(
            new HttpCall("/v1/models/" + model + ":predict", "{\"instances\":" + VALUES + "}"));
      }
      if (carries(Protocol.OIP)) {
        calls.add(v2("/v2/models/" + model + "/infer", NUMBERS.length, VALUES));
        calls.add(v2("/v2/models/" + model + "/versions/1/infer", MANY, MANY_VALUES));
      }
      if (carries(Protocol.GRPS)) {
        calls.add(
            new HttpCall(
                "/grps/v1/infer/predict",
                "{\"model\":\""
                    + model
                    + "\",\"gtensors\":{\"tensors\":[{\"name\":\"x\","
                    + "\"dtype\":\"DT_FLOAT32\",\"shape\":[4],\"flat_float32\":"
                    + VALUES
                    + "}]}}"));
      }
    }
    return calls;
  }

  private static HttpCall v2(String path, int size, String values) {
    return new HttpCall(
        path,
        "{\"inputs\":[{\"name\":\"x\",\"shape\":[%d],\"datatype\":\"FP32\",\"data\":%s}]}"
            .formatted(size, values));
  }

  List<GrpcCall> grpcCalls() {
    List<GrpcCall> calls = new ArrayList<>();
    for (String model : models) {
      if (carries(Protocol.TFS)) {
        calls.add(new GrpcCall("/tensorflow.serving.PredictionService/Predict", tfsRequest(model)));
      }
      if (carries(Protocol.OIP)) {
        calls.add(new GrpcCall("/inference.GRPCInferenceService/ModelInfer", oipRequest(model)));
      }
      if (carries(Protocol.GRPS)) {
        calls.add(new GrpcCall("/grps.protos.v1.GrpsService/Predict", grpsMessage(model)));
      }
    }
    return calls;
  }

  List<byte[]> brpcCalls() {
    return carries(Protocol.BRPC)
        ? models.stream().map(WarmUpCalls::brpcRequest).toList()
        : List.of();
  }

  private boolean carries(Protocol... any) {
    return List.of(any).stream().anyMatch(listener.protocols()::contains);
  }

  static String http(HttpCall call, Connector connector) throws IOException {
    try (SocketChannel channel = connector.connect()) {
      Channels.newOutputStream(channel).write(request(call, "Connection: close\r\n"));
      String answer =
          new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
      return answer.lines().findFirst().orElse("no answer");
    }
  }

  /** Returns the bytes of a request of HTTP/1.1, with more lines in its head. */
  static byte[] request(HttpCall call, String more) {
    byte[] body = ascii(call.body());
    String head = "POST " + call.path() + " HTTP/1.1\r\nHost: localhost\r\n" + more;
    String content = "Content-Type: application/json\r\nContent-Length: " + body.length;
    return join(ascii(head + content + "\r\n\r\n"), body);
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

  private static byte[] brpcRequest(String model) {
    byte[] meta =
        join(
            field(1, field(1, ascii("grps.protos.v1.GrpsBrpcService")), field(2, ascii("Predict"))),
            number(4, 1));
    byte[] message = grpsMessage(model);
    byte[] head =
        ByteBuffer.allocate(12)
            .put(ascii("PRPC"))
            .putInt(meta.length + message.length)
            .putInt(meta.length)
            .array();
    return join(head, meta, message);
  }

  static void skipBrpcResponse(DataInputStream in) throws IOException {
    in.readInt();
    int length = in.readInt();
    in.skipNBytes(Integer.BYTES + (long) length);
  }

  /** Returns a tensorflow.serving.PredictRequest. */
  private static byte[] tfsRequest(String model) {
    byte[] shape = field(2, field(2, number(1, NUMBERS.length)));
    byte[] tensor = field(2, number(1, 1), shape, field(5, numbers()));
    return join(field(1, field(1, ascii(model))), field(2, field(1, ascii("x")), tensor));
  }

  /** Returns an inference.ModelInferRequest. */
  private static byte[] oipRequest(String model) {
    byte[] shape = field(3, varint(NUMBERS.length));
    byte[] input = field(5, field(1, ascii("x")), field(2, ascii("FP32")), shape);
    return join(field(1, ascii(model)), input, field(7, numbers()));
  }

  /** Returns a grps.protos.v1.GrpsMessage. */
  private static byte[] grpsMessage(String model) {
    byte[] shape = field(3, varint(NUMBERS.length));
    byte[] tensor = field(1, field(1, ascii("x")), number(2, 7), shape, field(10, numbers()));
    return join(field(2, ascii(model)), field(5, tensor));
  }

  private static byte[] numbers() {
    ByteBuffer bytes =
        ByteBuffer.allocate(NUMBERS.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (float number : NUMBERS) {
      bytes.putFloat(number);
    }
    return bytes.array();
  }
}
