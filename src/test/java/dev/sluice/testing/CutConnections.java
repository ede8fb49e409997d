package dev.sluice.testing;

import static dev.sluice.testing.RawHttp2.DATA;
import static dev.sluice.testing.RawHttp2.END_STREAM;
import static dev.sluice.testing.RawHttp2.PREFACE;
import static dev.sluice.testing.RawHttp2.RST_STREAM;
import static dev.sluice.testing.RawHttp2.SETTINGS;
import static dev.sluice.testing.RawHttp2.frame;
import static dev.sluice.testing.RawHttp2.headers;
import static dev.sluice.testing.RawHttp2.joined;
import static dev.sluice.testing.RawHttp2.message;
import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Connections with good requests of every protocol, which end or change their mind at a random
 * place: reset, half-closed, closed, slow, cancelled, or with an answer that is not read. The
 * server has a model {@code twice} of rows of two FP32. The same seed makes the same ones. For one
 * thread.
 */
public final class CutConnections {
  private static final String INFER = "/inference.GRPCInferenceService/ModelInfer";
  private static final String STREAM = "/inference.GRPCInferenceService/ModelStreamInfer";
  private static final int FRAME = 16_000;

  /** Sizes about which requests take different roads: in native memory, and by workers. */
  private static final int[] MOST_ROWS = {1, 100, 10_000, 100_000};

  private static final int TIMEOUT_MILLIS = 50;

  private final SplittableRandom random;
  private final int port;

  public CutConnections(long seed, int port) {
    this.random = new SplittableRandom(seed);
    this.port = port;
  }

  /** Makes one connection more, and ends it in some way. */
  public void next() {
    byte[] bytes = request();
    int cut = random.nextInt(3) == 0 ? bytes.length : random.nextInt(bytes.length + 1);
    int end = random.nextInt(5);
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      write(socket.getOutputStream(), Arrays.copyOf(bytes, cut));
      if (random.nextInt(3) == 0) {
        read(socket, 1 + random.nextInt(2_000));
      }
      switch (end) {
        case 0 -> socket.setSoLinger(true, 0); // the connection is reset
        case 1 -> {
          socket.shutdownOutput();
          read(socket, random.nextInt(100_000));
        }
        case 2 -> read(socket, Integer.MAX_VALUE);
        default -> {}
      }
    } catch (IOException e) {
      // The server may close the connection at any time.
    }
  }

  private void write(OutputStream out, byte[] bytes) throws IOException {
    boolean inPieces = random.nextInt(3) == 0;
    int most = inPieces ? 1 + random.nextInt(1 + bytes.length / 4) : bytes.length;
    for (int at = 0; at < bytes.length; at += most) {
      out.write(bytes, at, Math.min(most, bytes.length - at));
      if (inPieces) {
        LockSupport.parkNanos(100_000);
      }
    }
  }

  private static void read(Socket socket, int most) throws IOException {
    byte[] buffer = new byte[8_192];
    int seen = 0;
    while (seen < most) {
      int count = socket.getInputStream().read(buffer);
      if (count < 0) {
        return;
      }
      seen += count;
    }
  }

  private byte[] request() {
    int rows = 1 + random.nextInt(MOST_ROWS[random.nextInt(MOST_ROWS.length)]);
    return switch (random.nextInt(7)) {
      case 0 ->
          http1(json(Math.min(rows, 20_000)), "application/json", "/v2/models/twice/infer", "");
      case 1 ->
          http1(binary(rows), "application/octet-stream", "/v2/models/twice/infer", header(rows));
      case 2 -> http2("/v2/models/twice/infer", "application/json", json(Math.min(rows, 20_000)));
      case 3 -> http2(INFER, "application/grpc", message(infer(rows)));
      case 4 -> http2(STREAM, "application/grpc", messages());
      case 5 -> grpcWeb(rows);
      default -> brpc(rows);
    };
  }

  private byte[] messages() {
    var all = new ByteArrayOutputStream();
    for (int i = random.nextInt(8); i >= 0; i--) {
      all.writeBytes(message(infer(1 + random.nextInt(2_000))));
    }
    return all.toByteArray();
  }

  private static byte[] http1(byte[] body, String type, String path, String more) {
    String head =
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n"
            .formatted(path, type, body.length, more);
    return joined(head.getBytes(US_ASCII), body);
  }

  private byte[] grpcWeb(int rows) {
    byte[] framed = message(infer(rows));
    return random.nextBoolean()
        ? http1(framed, "application/grpc-web+proto", INFER, "")
        : http1(Base64.getEncoder().encode(framed), "application/grpc-web-text", INFER, "");
  }

  private byte[] brpc(int rows) {
    // Not what the method takes, but its bytes arrive, are held and answered all the same.
    return new BrpcClient.Call("grps.protos.GrpsService", "Predict", 7).frame(infer(rows));
  }

  /** Several streams, whose frames are mixed, and of which some are cancelled. */
  private byte[] http2(String path, String type, byte[] body) {
    List<byte[]> frames = new ArrayList<>();
    frames.add(PREFACE);
    frames.add(SETTINGS);
    int streams = 1 + random.nextInt(4);
    for (int i = 0; i < streams; i++) {
      frames.add(headers(2 * i + 1, path, type));
    }
    for (int at = 0; at < body.length; at += FRAME) {
      byte[] part = Arrays.copyOfRange(body, at, Math.min(at + FRAME, body.length));
      int last = at + FRAME >= body.length ? END_STREAM : 0;
      for (int i = 0; i < streams; i++) {
        frames.add(frame(DATA, last, 2 * i + 1, part));
      }
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      int stream = 2 * random.nextInt(streams) + 1;
      int place = 2 + streams + random.nextInt(frames.size() - 1 - streams);
      frames.add(place, frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8}));
    }
    return joined(frames.toArray(byte[][]::new));
  }

  private static byte[] json(int rows) {
    return "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[%d,2],\"data\":[%s1]}]}"
        .formatted(rows, "1,".repeat(2 * rows - 1))
        .getBytes(US_ASCII);
  }

  private static String head(int rows) {
    return "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[%d,2],\"parameters\":{\"binary_data_size\":%d}}]}"
        .formatted(rows, 8 * rows);
  }

  private static String header(int rows) {
    return "Inference-Header-Content-Length: " + head(rows).length() + "\r\n";
  }

  private static byte[] binary(int rows) {
    return joined(head(rows).getBytes(US_ASCII), new byte[8 * rows]);
  }

  private static byte[] infer(int rows) {
    var input =
        ModelInferRequest.InferInputTensor.newBuilder()
            .setName("x")
            .setDatatype("FP32")
            .addShape(rows)
            .addShape(2);
    return ModelInferRequest.newBuilder()
        .setModelName("twice")
        .addInputs(input)
        .addRawInputContents(ByteString.copyFrom(new byte[8 * rows]))
        .build()
        .toByteArray();
  }
}
