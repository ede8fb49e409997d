package dev.sluice.testing;

import static dev.sluice.testing.RawHttp2.DATA;
import static dev.sluice.testing.RawHttp2.END_STREAM;
import static dev.sluice.testing.RawHttp2.NO_WINDOW;
import static dev.sluice.testing.RawHttp2.PREFACE;
import static dev.sluice.testing.RawHttp2.SETTINGS;
import static dev.sluice.testing.RawHttp2.frame;
import static dev.sluice.testing.RawHttp2.headers;
import static dev.sluice.testing.RawHttp2.message;
import static dev.sluice.testing.RawHttp2.messageHead;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;

/**
 * Connections that try to make a server hold memory, a few of every kind, each made anew when the
 * server has ended it. The server has a model {@code twice} of rows of two FP32, and a generator
 * {@code wide}.
 */
public final class HostileConnections implements AutoCloseable {
  private static final int MIB = 1 << 20;
  private static final byte[] ZEROS = new byte[16 * 1024];
  private static final byte[] BOMB = bomb(60 * MIB);
  private static final String INFER = "/inference.GRPCInferenceService/ModelInfer";
  private static final String STREAM = "/inference.GRPCInferenceService/ModelStreamInfer";
  private static final String PREDICT = "/tensorflow.serving.PredictionService/Predict";

  /** What a connection does. */
  @FunctionalInterface
  private interface Kind {
    void attack(Connection connection) throws IOException, InterruptedException;
  }

  private static final List<Kind> KINDS =
      List.of(
          HostileConnections::slowBody,
          HostileConnections::slowBodyWithinTheBudget,
          HostileConnections::unfinishedMessages,
          HostileConnections::unfinishedBodies,
          HostileConnections::compressed,
          HostileConnections::hugeShapes,
          HostileConnections::json,
          HostileConnections::nestedJson,
          HostileConnections::unreadPipeline,
          HostileConnections::unreadStreams,
          HostileConnections::unreadMessages,
          HostileConnections::unreadEvents,
          HostileConnections::unreadBrpc,
          HostileConnections::slowBrpc,
          HostileConnections::compressedBrpc,
          HostileConnections::silent,
          HostileConnections::halfOpen,
          HostileConnections::tricklingHead,
          HostileConnections::pings,
          HostileConnections::settings,
          HostileConnections::resets,
          HostileConnections::heads);

  private final int port;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final List<Thread> threads = new ArrayList<>();

  /** Begins so many connections. */
  public HostileConnections(int port, int count) {
    this.port = port;
    for (int i = 0; i < count; i++) {
      Kind kind = KINDS.get(i % KINDS.size());
      threads.add(Thread.ofVirtual().start(() -> run(kind)));
    }
  }

  private void run(Kind kind) {
    boolean going = true;
    while (going) {
      try (var connection = new Connection()) {
        kind.attack(connection);
        going = connection.holds(100);
      } catch (IOException e) {
        going = waits(100);
      } catch (InterruptedException e) {
        going = false;
      }
    }
  }

  private boolean waits(long millis) {
    try {
      return !stopped.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }

  /** Ends all of them. */
  @Override
  public void close() {
    stopped.countDown();
    try {
      for (Thread thread : threads) {
        while (!thread.join(java.time.Duration.ofMillis(20))) {
          open.forEach(HostileConnections::end);
        }
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One connection, of its thread. */
  private final class Connection implements AutoCloseable {
    private final Socket socket = new Socket();

    Connection() throws IOException {
      open.add(socket);
      socket.setReceiveBufferSize(4096);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(2_000);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    void write(byte[]... all) throws IOException {
      OutputStream out = socket.getOutputStream();
      for (byte[] bytes : all) {
        out.write(bytes);
      }
    }

    void write(String text) throws IOException {
      write(text.getBytes(US_ASCII));
    }

    /** Reads what comes first of an answer. */
    void read() throws IOException {
      InputStream in = socket.getInputStream();
      if (in.read(new byte[256]) < 0) {
        throw new IOException("ended");
      }
    }

    /** Waits; false if all is over. */
    boolean holds(long millis) throws InterruptedException {
      return !stopped.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Writes a little again and again. */
    void trickle(byte[] bytes) throws IOException, InterruptedException {
      while (holds(100)) {
        write(bytes);
      }
    }

    @Override
    public void close() throws IOException {
      open.remove(socket);
      socket.close();
    }
  }

  private static String post(String path, int length, String more) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
        + length
        + "\r\nContent-Type: application/json\r\n"
        + more
        + "\r\n";
  }

  private static void slowBody(Connection to) throws IOException, InterruptedException {
    to.write(post("/v2/models/twice/infer", 60 * MIB, ""));
    to.trickle(new byte[10_000]);
  }

  private static void slowBodyWithinTheBudget(Connection to)
      throws IOException, InterruptedException {
    to.write(post("/v2/models/twice/infer", 20 * MIB, ""));
    to.trickle(new byte[10_000]);
  }

  private static void unfinishedMessages(Connection to) throws IOException, InterruptedException {
    to.write(PREFACE, SETTINGS);
    for (int stream = 1; stream < 40; stream += 2) {
      to.write(headers(stream, INFER), frame(DATA, 0, stream, messageHead(7 * MIB)));
      for (int i = 0; i < 16; i++) {
        to.write(frame(DATA, 0, stream, ZEROS));
      }
    }
    to.trickle(frame(DATA, 0, 1, ZEROS));
  }

  private static void unfinishedBodies(Connection to) throws IOException, InterruptedException {
    to.write(PREFACE, SETTINGS);
    for (int stream = 1; stream < 40; stream += 2) {
      to.write(headers(stream, "/v2/models/twice/infer"));
      for (int i = 0; i < 40; i++) {
        to.write(frame(DATA, 0, stream, ZEROS));
      }
    }
    to.trickle(frame(DATA, 0, 1, ZEROS));
  }

  private static void compressed(Connection to) throws IOException {
    to.write(post("/v2/models/twice/infer", BOMB.length, "Content-Encoding: gzip\r\n"));
    to.write(BOMB);
    to.read();
  }

  private static void hugeShapes(Connection to) throws IOException {
    var dim = TensorShapeProto.Dim.newBuilder();
    var shape = TensorShapeProto.newBuilder().addDim(dim.setSize(1 << 29)).addDim(dim.setSize(2));
    TensorProto tensor =
        TensorProto.newBuilder().setDtype(DataType.DT_FLOAT).setTensorShape(shape).build();
    byte[] predict =
        PredictRequest.newBuilder()
            .setModelSpec(ModelSpec.newBuilder().setName("twice"))
            .putInputs("x", tensor)
            .build()
            .toByteArray();
    to.write(PREFACE, SETTINGS);
    for (int stream = 1; stream < 40; stream += 2) {
      to.write(headers(stream, PREDICT));
      to.write(frame(DATA, END_STREAM, stream, message(predict)));
      to.write(headers(stream + 100, INFER));
      to.write(frame(DATA, END_STREAM, stream + 100, message(infer(1L << 40, new byte[0]))));
    }
    to.read();
    to.read();
  }

  private static byte[] infer(long rows, byte[] raw) {
    var input =
        ModelInferRequest.InferInputTensor.newBuilder()
            .setName("x")
            .setDatatype("FP32")
            .addShape(rows)
            .addShape(2);
    var request = ModelInferRequest.newBuilder().setModelName("twice").addInputs(input);
    if (raw.length > 0) {
      request.addRawInputContents(com.google.protobuf.ByteString.copyFrom(raw));
    }
    return request.build().toByteArray();
  }

  private static void json(Connection to) throws IOException {
    int rows = 400_000;
    String body =
        "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[%d,2],\"data\":[%s1]}]}"
            .formatted(rows, "1,".repeat(2 * rows - 1));
    to.write(post("/v2/models/twice/infer", body.length(), ""));
    to.write(body);
    to.read();
  }

  private static void nestedJson(Connection to) throws IOException {
    String body = "{\"inputs\":" + "[".repeat(500_000) + "]".repeat(500_000) + "}";
    to.write(post("/v2/models/twice/infer", body.length(), ""));
    to.write(body);
    to.read();
  }

  private static void unreadPipeline(Connection to) throws IOException, InterruptedException {
    byte[] many =
        "GET /v2/models/twice HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(200).getBytes(US_ASCII);
    while (to.holds(1)) {
      to.write(many);
    }
  }

  private static void unreadStreams(Connection to) throws IOException, InterruptedException {
    to.write(PREFACE, NO_WINDOW);
    byte[] message = message(infer(400, new byte[3200]));
    for (int stream = 1; stream < 1_000; stream += 2) {
      to.write(headers(stream, INFER), frame(DATA, END_STREAM, stream, message));
    }
    to.trickle(frame(6, 0, 0, new byte[8]));
  }

  private static void unreadMessages(Connection to) throws IOException, InterruptedException {
    to.write(PREFACE, NO_WINDOW);
    byte[] message = message(infer(1_500, new byte[12_000]));
    for (int stream = 1; stream < 20; stream += 2) {
      to.write(headers(stream, STREAM));
      for (int i = 0; i < 200; i++) {
        to.write(frame(DATA, 0, stream, message));
      }
    }
    to.trickle(frame(6, 0, 0, new byte[8]));
  }

  private static void unreadEvents(Connection to) throws IOException, InterruptedException {
    to.write(post("/v2/models/wide/generate_stream", 7, ""));
    to.write("{\"x\":1}");
    to.trickle(new byte[0]);
  }

  private static byte[] brpc(int compression, int body) {
    var call = new BrpcClient.Call("grps.protos.GrpsService", "Predict", 7).compressed(compression);
    return call.frame(new byte[body]);
  }

  private static void unreadBrpc(Connection to) throws IOException, InterruptedException {
    byte[] frame = brpc(0, 2_000);
    while (to.holds(1)) {
      for (int i = 0; i < 100; i++) {
        to.write(frame);
      }
    }
  }

  private static void slowBrpc(Connection to) throws IOException, InterruptedException {
    byte[] head = brpc(0, 20 * MIB);
    to.write(java.util.Arrays.copyOf(head, 1_000));
    to.trickle(new byte[10_000]);
  }

  private static void compressedBrpc(Connection to) throws IOException {
    to.write(
        new BrpcClient.Call("grps.protos.GrpsService", "Predict", 7).compressed(2).frame(BOMB));
    to.read();
  }

  private static void silent(Connection to) throws InterruptedException, IOException {
    to.trickle(new byte[0]);
  }

  private static void halfOpen(Connection to) throws InterruptedException, IOException {
    to.write(PREFACE);
    to.socket.shutdownOutput();
    while (to.holds(1_000)) {
      to.read();
    }
  }

  private static void tricklingHead(Connection to) throws InterruptedException, IOException {
    to.write("GET /v2 HTTP/1.1\r\nHost: localhost\r\nX: ");
    to.trickle(new byte[] {'x'});
  }

  private static void flood(Connection to, byte[] frame, int count)
      throws InterruptedException, IOException {
    var many = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      many.writeBytes(frame);
    }
    while (to.holds(50)) {
      to.write(many.toByteArray());
    }
  }

  private static void pings(Connection to) throws InterruptedException, IOException {
    to.write(PREFACE, SETTINGS);
    flood(to, frame(6, 0, 0, new byte[8]), 1_000);
  }

  private static void settings(Connection to) throws InterruptedException, IOException {
    to.write(PREFACE, SETTINGS);
    flood(to, SETTINGS, 20);
  }

  private static void resets(Connection to) throws InterruptedException, IOException {
    to.write(PREFACE, SETTINGS);
    for (int stream = 1; to.holds(20); ) {
      for (int i = 0; i < 50; i++, stream += 2) {
        to.write(headers(stream, INFER), frame(3, 0, stream, new byte[] {0, 0, 0, 8}));
      }
    }
  }

  private static void heads(Connection to) throws InterruptedException, IOException {
    to.write(PREFACE, SETTINGS);
    for (int stream = 1; stream < 1_800; stream += 2) {
      to.write(headers(stream, INFER, "application/grpc", 15_000));
    }
    to.trickle(frame(6, 0, 0, new byte[8]));
  }

  private static byte[] bomb(int size) {
    var bytes = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(bytes)) {
      byte[] zeros = new byte[MIB];
      for (int i = 0; i < size; i += MIB) {
        gzip.write(zeros);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
