package dev.sluice.conformance;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.MessageLite;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.protocol.grps.grpc.proto.DataType;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams without an end, when the server has waited for them long enough. */
@Timeout(60)
class DrainIT {
  private static final String STOPPING = "the server is stopping and ends what still goes on";

  /** Bytes of a status line up to its number. */
  private static final int BEGIN = "HTTP/1.1 200".length();

  /** What a client of HTTP/2 says first, with its settings. */
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";

  @TempDir static Path models;

  /** How the streams over HTTP/1.1 begin and end, by their doors. */
  private static final Map<String, CompletableFuture<String>> ENDS = new HashMap<>();

  private static final Messages<GrpsMessage> GRPS = new Messages<>();
  private static final Messages<ModelStreamInferResponse> INFER = new Messages<>();

  /** Keeps the last messages of a call and its end. */
  private static final class Messages<T extends MessageLite> implements StreamObserver<T> {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final ConcurrentLinkedDeque<T> got = new ConcurrentLinkedDeque<>();
    private final CompletableFuture<T> last = new CompletableFuture<>();

    @Override
    public void onNext(T message) {
      got.add(message);
      begun.countDown();
      if (got.size() > 2) {
        got.removeFirst();
      }
    }

    @Override
    public void onError(Throwable failure) {
      last.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      last.complete(got.peekLast());
    }
  }

  @BeforeAll
  static void drain() throws Exception {
    long blocksBefore = TensorMemory.openBlocks();
    StepModels.counter(models, "{ feedback: { y: x }, stop: { steps: 1000000 } }");
    new PluginJar()
        .file("Echoes")
        .service("HttpHandler", "Echoes")
        .into(models.resolve("echoes").resolve("1"));
    Files.writeString(models.resolve("echoes").resolve("model.yml"), "java: { path: /my/echo }\n");
    // A tenth of it is for the last words to clients that read as fast as they can.
    RunningServer server = start(models, "3s");
    ManagedChannel channel = channelTo(server);
    openAll(server.port(), channel);
    server.close();
    ENDS.values().forEach(CompletableFuture::join);
    channel.shutdownNow();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private static RunningServer start(Path models, String drainTimeout) {
    return RunningServer.start(
        new SluiceConfigReader(_ -> {})
            .read(
                Optional.empty(),
                Map.of(),
                List.of(
                    new SettingOverride("listeners", "localhost:0", "test"),
                    new SettingOverride("models.directory", models.toString(), "test"),
                    new SettingOverride("models.plugins", models.toString(), "test"),
                    new SettingOverride("shutdown.drain_timeout", drainTimeout, "test"))));
  }

  private static ManagedChannel channelTo(RunningServer server) {
    return NettyChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  private static void openAll(int port, ManagedChannel channel) throws Exception {
    String json =
        """
        {"gtensors":{"tensors":[{"name":"x","dtype":"DT_FLOAT32","flat_float32":[1],"shape":[1,1]}]}}\
        """;
    String predict = "POST /grps/v1/infer/predict?streaming=true&model=counter";
    open(port, "grps as JSON", predict, "application/json", json);
    open(port, "grps as bytes", predict, "application/octet-stream", "\0\0\0\0");
    open(port, "events", "POST /v2/models/counter/generate_stream", "", "{\"x\":1}");
    open(port, "own code", "GET /my/echo?endless", "", "");
    GrpsServiceGrpc.newStub(channel).predictStreaming(grps(), GRPS);
    StreamObserver<ModelInferRequest> requests =
        GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(INFER);
    requests.onNext(infer());
    GRPS.begun.await();
    INFER.begun.await();
  }

  /** Asks over HTTP/1.1, waits for the status, and reads on. */
  private static void open(int port, String name, String line, String type, String body)
      throws IOException {
    var socket = new Socket("localhost", port);
    String head =
        "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(line, type, body.length());
    socket.getOutputStream().write((head + body).getBytes(UTF_8));
    String begin = new String(socket.getInputStream().readNBytes(BEGIN), UTF_8);
    ENDS.put(
        name,
        CompletableFuture.supplyAsync(() -> begin + end(socket), Thread::startVirtualThread)
            .orTimeout(30, TimeUnit.SECONDS));
  }

  /** The last bytes; those before them are too many to keep. */
  private static String end(Socket socket) {
    try (socket) {
      byte[] piece = new byte[1 << 16];
      String end = "";
      for (int n = 0; n >= 0; n = socket.getInputStream().read(piece)) {
        String longer = end + new String(piece, 0, n, UTF_8);
        end = longer.substring(Math.max(0, longer.length() - 1_000));
      }
      return end;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static CompletableFuture<String> end(String name) {
    return Objects.requireNonNull(ENDS.get(name));
  }

  private static GrpsMessage grps() {
    return GrpsMessage.newBuilder()
        .setModel("counter")
        .setGtensors(
            GenericTensorData.newBuilder()
                .addTensors(
                    GenericTensor.newBuilder()
                        .setName("x")
                        .setDtype(DataType.DT_FLOAT32)
                        .addShape(1)
                        .addShape(1)
                        .addFlatFloat32(1)))
        .build();
  }

  private static ModelInferRequest infer() {
    return ModelInferRequest.newBuilder()
        .setId("7")
        .setModelName("counter")
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("x")
                .setDatatype("FP32")
                .addShape(1)
                .addShape(1)
                .setContents(InferTensorContents.newBuilder().addFp32Contents(1)))
        .build();
  }

  /** The end of an answer in chunks: its last chunk, and the empty one that says that all came. */
  private static String lastChunk(String name) {
    String answer = end(name).join();
    assertThat(answer).startsWith("HTTP/1.1 200").endsWith("\r\n0\r\n\r\n");
    String chunks = answer.substring(0, answer.length() - "\r\n0\r\n\r\n".length());
    return chunks.substring(chunks.lastIndexOf("\r\n") + 2);
  }

  @Test
  void callsWithNothingUnderWayAreNotWaitedFor(@TempDir Path folder) throws Exception {
    StepModels.table(folder, "table", "max_batch_size: 0\n");
    RunningServer server = start(folder, "10m");
    ManagedChannel channel = channelTo(server);
    var silent = new Messages<ModelStreamInferResponse>();
    var answered = new Messages<ModelStreamInferResponse>();
    var calls = GRPCInferenceServiceGrpc.newStub(channel);
    calls.modelStreamInfer(silent);
    calls.modelStreamInfer(answered).onNext(lookUp());
    answered.begun.await();
    server.close();
    for (Messages<?> call : List.of(silent, answered)) {
      assertThatThrownBy(call.last::join)
          .hasRootCauseMessage(
              "UNAVAILABLE: the server is stopping and waits for no more messages");
    }
    assertThat(answered.got.getFirst().getErrorMessage()).isEmpty();
    channel.shutdownNow();
  }

  /** Asks the next thing as soon as it has an answer and has thought about it for a moment. */
  private static final class Thinker implements StreamObserver<ModelStreamInferResponse> {
    private final CountDownLatch begun = new CountDownLatch(5);
    private final CompletableFuture<Boolean> endedWhileItWaited = new CompletableFuture<>();
    private final CompletableFuture<Status> end = new CompletableFuture<>();
    private final StreamObserver<ModelInferRequest> requests;
    private volatile boolean waits;

    Thinker(ManagedChannel channel) {
      requests = GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(this);
    }

    void ask(ModelInferRequest request) {
      waits = true;
      requests.onNext(request);
    }

    @Override
    public void onNext(ModelStreamInferResponse message) {
      waits = false;
      begun.countDown();
      CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS).execute(() -> ask(lookUp()));
    }

    @Override
    public void onError(Throwable failure) {
      endedWhileItWaited.complete(waits);
      end.complete(Status.fromThrowable(failure));
    }

    @Override
    public void onCompleted() {
      end.complete(Status.OK);
    }
  }

  /** Libraries make errors of their own of a message that is written on a stream just ended. */
  @RepeatedTest(3)
  void aStreamEndsWhileItsClientWaitsForAnAnswer(@TempDir Path folder) throws Exception {
    StepModels.table(folder, "table", "max_batch_size: 0\n");
    RunningServer server = start(folder, "10m");
    ManagedChannel channel = channelTo(server);
    var clients = new ArrayList<Thinker>();
    for (int i = 0; i < 4; i++) {
      var client = new Thinker(channel);
      client.ask(lookUp());
      clients.add(client);
    }
    for (Thinker client : clients) {
      client.begun.await();
    }
    server.close();
    for (Thinker client : clients) {
      assertThat(client.end.join().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(client.endedWhileItWaited.join()).isTrue();
    }
    channel.shutdownNow();
  }

  @Test
  void idleCallsGetTheStatusThatTheServerStops(@TempDir Path folder) {
    RunningServer server = start(folder, "10m");
    ManagedChannel channel = channelTo(server);
    CompletableFuture<Status> unary = openSilently(channel, GrpsServiceGrpc.getPredictMethod());
    CompletableFuture<Status> stream =
        openSilently(channel, GrpsServiceGrpc.getPredictStreamingMethod());
    // Once this is answered, the calls before it on the connection have reached the server.
    GrpsServiceGrpc.newBlockingStub(channel).checkLiveness(GrpsMessage.getDefaultInstance());
    server.close();
    for (CompletableFuture<Status> call : List.of(unary, stream)) {
      assertThat(call.join().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(call.join().getDescription())
          .isEqualTo("the server is stopping and waits for no more messages");
    }
    channel.shutdownNow();
  }

  @Test
  void callsThatBeginOnAConnectionThatIsStillOpenAreEndedToo(@TempDir Path folder)
      throws Exception {
    StepModels.counter(folder, "{ feedback: { y: x }, stop: { steps: 1000000 } }");
    RunningServer server = start(folder, "10m");
    ManagedChannel channel = channelTo(server);
    var endless = new Messages<ModelStreamInferResponse>();
    GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(endless).onNext(infer());
    endless.begun.await();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
    awaitThatNoRequestIsAdmitted(server.port());
    for (MethodDescriptor<GrpsMessage, GrpsMessage> method :
        List.of(GrpsServiceGrpc.getPredictMethod(), GrpsServiceGrpc.getPredictStreamingMethod())) {
      assertThat(openSilently(channel, method).join().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }
    channel.shutdownNow();
    closed.get(30, TimeUnit.SECONDS);
  }

  @Test
  void connectionsOnWhichNoRequestHasBegunAreNotWaitedFor(@TempDir Path folder) throws Exception {
    RunningServer server = start(folder, "10m");
    List<Socket> clients = new ArrayList<>();
    for (String begin : List.of("", "PR", "PRPC\0\0\0\1", "GE", "POST /grps", "PRI * HTTP")) {
      var client = new Socket("localhost", server.port());
      client.getOutputStream().write(begin.getBytes(UTF_8));
      clients.add(client);
    }
    server.close();
    for (Socket client : clients) {
      assertThat(isClosed(client)).isTrue();
    }
  }

  @Test
  void requestsThatBeginWhileTheServerStopsKeepItNoLongerThanTheirAnswers(@TempDir Path folder)
      throws Exception {
    RunningServer server = start(folder, "10m");
    Map<Socket, String> clients = new HashMap<>();
    for (String begin :
        List.of("PRPC\0\0\0\1", PREFACE, "GET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
      clients.put(new Socket("localhost", server.port()), begin);
    }
    // Once this is answered, the connections before it have been accepted.
    given().port(server.port()).get("/v2").then().statusCode(200);
    CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
    awaitThatNoRequestIsAdmitted(server.port());
    for (Map.Entry<Socket, String> client : clients.entrySet()) {
      client.getKey().getOutputStream().write(client.getValue().getBytes(UTF_8));
    }
    closed.get(30, TimeUnit.SECONDS);
    for (Socket client : clients.keySet()) {
      client.close();
    }
  }

  private static void awaitThatNoRequestIsAdmitted(int port) {
    try {
      while (true) {
        new Socket("localhost", port).close();
      }
    } catch (IOException e) {
      // This is what was waited for.
    }
  }

  private static boolean isClosed(Socket client) throws IOException {
    try (client) {
      return client.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  /** Sends the headers of a call, which clients otherwise keep until they have a message. */
  private static CompletableFuture<Status> openSilently(
      ManagedChannel channel, MethodDescriptor<GrpsMessage, GrpsMessage> method) {
    var ended = new CompletableFuture<Status>();
    channel
        .newCall(
            method.toBuilder().setType(MethodDescriptor.MethodType.BIDI_STREAMING).build(),
            CallOptions.DEFAULT)
        .start(
            new ClientCall.Listener<>() {
              @Override
              public void onClose(Status status, Metadata trailers) {
                ended.complete(status);
              }
            },
            new Metadata());
    return ended;
  }

  private static ModelInferRequest lookUp() {
    return ModelInferRequest.newBuilder()
        .setModelName("table")
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("at")
                .setDatatype("INT64")
                .addShape(1)
                .setContents(InferTensorContents.newBuilder().addInt64Contents(1)))
        .build();
  }

  @Test
  void grpsOverHttpEndsWithAFailureMessage() {
    for (String name : List.of("grps as JSON", "grps as bytes")) {
      assertThat(lastChunk(name))
          .isEqualTo(
              "{\"status\":{\"code\":503,\"msg\":\"" + STOPPING + "\",\"status\":\"FAILURE\"}}\n");
    }
  }

  @Test
  void generateStreamEndsWithAnErrorEvent() {
    assertThat(end("events").join())
        .endsWith("data: {\"error\":\"" + STOPPING + "\"}\n\n\r\n0\r\n\r\n");
  }

  @Test
  void ownCodeEndsWithTheTextOfTheFailure() {
    assertThat(lastChunk("own code")).isEqualTo(STOPPING);
  }

  @Test
  void grpsOverGrpcEndsWithAFailureMessageAndWell() {
    GrpsMessage last = GRPS.last.join();
    assertThat(last.getStatus().getCode()).isEqualTo(503);
    assertThat(last.getStatus().getMsg()).isEqualTo(STOPPING);
    assertThat(GRPS.got.getFirst().getStatus().getCode()).isEqualTo(200);
  }

  @Test
  void modelStreamInferEndsWithAFinalErrorAndTakesNoMoreRequests() {
    assertThatThrownBy(INFER.last::join)
        .hasRootCauseMessage("UNAVAILABLE: the server is stopping and waits for no more messages");
    ModelStreamInferResponse last = INFER.got.getLast();
    assertThat(last.getErrorMessage()).isEqualTo(STOPPING);
    assertThat(last.getInferResponse().getId()).isEqualTo("7");
    assertThat(last.getInferResponse().getParametersOrThrow("triton_final_response").getBoolParam())
        .isTrue();
  }
}
