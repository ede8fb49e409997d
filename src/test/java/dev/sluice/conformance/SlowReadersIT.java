package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.protocol.grps.grpc.proto.DataType;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Readers of HTTP/2 streams who stop reading: their flow control reaches the model. */
@Timeout(60)
class SlowReadersIT {
  private static final int STEPS = 400;

  /** Steps that may lie between the model and a reader, of 8 KiB each: a sixth of the stream. */
  private static final int MOST_AHEAD = 64;

  private static final int WINDOW = 65_535;
  private static final String MODEL = "wide";
  private static final Pattern FIRST = Pattern.compile("\"wide\":\\[([0-9.]+),");
  private static final List<Float> ALL =
      IntStream.rangeClosed(2, STEPS + 1).mapToObj(step -> (float) step).toList();

  @TempDir static Path models;
  private static RunningServer server;
  private static HttpCaller http;
  private static Vertx vertx;

  @BeforeAll
  static void start() throws IOException {
    StepModels.wideCounter(models, MODEL, STEPS);
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
    vertx = Vertx.vertx();
  }

  @AfterAll
  static void stop() {
    join(vertx.close());
    http.close();
    server.close();
  }

  private static <T> T join(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  /** Steps that the model has made: those of several streams may have been one run. */
  private static long made() {
    JsonObject stats =
        http.send("GET", "/v2/models/" + MODEL + "/stats", Buffer.buffer()).body().toJsonObject();
    return stats.getJsonArray("model_stats").getJsonObject(0).getLong("inference_count");
  }

  private static String path() {
    return "/v2/models/" + MODEL + "/generate_stream";
  }

  private static Buffer one() {
    return Buffer.buffer("{\"x\":1}");
  }

  private static List<Float> steps(Buffer events) {
    return FIRST
        .matcher(events.toString())
        .results()
        .map((MatchResult match) -> Float.valueOf(match.group(1)))
        .toList();
  }

  /**
   * A stream beside that of a reader who stands still, whole; the two take turns, so that the other
   * has come as far as it goes by then.
   */
  private static void readAnotherStream() {
    assertThat(steps(http.send("POST", path(), one()).body())).isEqualTo(ALL);
  }

  @Test
  void aReaderOfEventsWhoStopsStopsTheModelAndMissesNothing() {
    var options =
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false);
    HttpClient client = vertx.createHttpClient(options);
    long before = made();
    HttpClientResponse response =
        join(
            client
                .request(HttpMethod.POST, server.port(), "localhost", path())
                .compose(request -> request.send(one()).map(HttpClientResponse::pause)));
    assertThat(response.version()).isEqualTo(HttpVersion.HTTP_2);
    readAnotherStream();
    assertThat(made() - before).isBetween((long) STEPS, (long) STEPS + MOST_AHEAD);
    var all = Buffer.buffer();
    Promise<Buffer> whole = Promise.promise();
    response.handler(all::appendBuffer);
    response.endHandler(_ -> whole.complete(all));
    response.exceptionHandler(whole::tryFail);
    response.resume();
    assertThat(steps(join(whole.future()))).isEqualTo(ALL);
  }

  @Test
  void aGrpcReaderWhoStopsStopsTheModelAndMissesNothing() throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("localhost", server.port())
            .flowControlWindow(WINDOW)
            .usePlaintext()
            .build();
    try {
      long before = made();
      var reader = new Reader();
      GrpsServiceGrpc.newStub(channel).predictStreaming(counted(), reader);
      var read = new ArrayList<>(List.of(reader.messages.take()));
      readAnotherStream();
      assertThat(made() - before).isBetween((long) STEPS, (long) STEPS + MOST_AHEAD);
      reader.goOn();
      reader.ended.get(30, TimeUnit.SECONDS);
      reader.messages.drainTo(read);
      assertThat(read)
          .extracting(message -> message.getGtensors().getTensors(0).getFlatFloat32(0))
          .isEqualTo(ALL);
    } finally {
      channel.shutdownNow();
    }
  }

  private static GrpsMessage counted() {
    var tensor =
        GenericTensor.newBuilder()
            .setName("x")
            .setDtype(DataType.DT_FLOAT32)
            .addShape(1)
            .addShape(1)
            .addFlatFloat32(1);
    return GrpsMessage.newBuilder()
        .setModel(MODEL)
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
        .build();
  }

  /** Takes one message, and no other before it is told to. */
  private static final class Reader implements ClientResponseObserver<GrpsMessage, GrpsMessage> {
    private final BlockingQueue<GrpsMessage> messages = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<ClientCallStreamObserver<GrpsMessage>> call =
        new CompletableFuture<>();

    void goOn() {
      call.join().request(Integer.MAX_VALUE);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<GrpsMessage> begun) {
      begun.disableAutoRequestWithInitial(1);
      call.complete(begun);
    }

    @Override
    public void onNext(GrpsMessage message) {
      messages.add(message);
    }

    @Override
    public void onError(Throwable failure) {
      ended.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      ended.complete(null);
    }
  }
}
