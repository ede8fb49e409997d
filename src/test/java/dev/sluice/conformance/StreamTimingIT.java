package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import dev.sluice.config.server.AccessLogConfig.Format;
import dev.sluice.protocol.grps.grpc.proto.DataType;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.ServerTiming;
import dev.sluice.testing.StepModels;
import dev.sluice.testing.TestModels;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the trailer of a stream and its line in the access log say of the same times. */
class StreamTimingIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MESSAGES = 1_500;

  @TempDir private Path models;
  @TempDir private Path folder;
  private RunningServer server;
  private ManagedChannel channel;
  private final AtomicReference<@Nullable Metadata> trailers = new AtomicReference<>();

  @BeforeEach
  void open() throws IOException {
    StepModels.table(models, "table", "stream: { rows: 1 }\n");
    TestModels.copy(TestModels.slow(), models.resolve("slow/1"));
    server =
        RunningServer.start(
            RunningServer.logging(
                RunningServer.settings(models), folder.resolve("log"), Format.JSON));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterEach
  void nothingIsLeftOpen() {
    channel.shutdownNow();
    server.close();
  }

  /** A stub whose calls ask for their times. */
  private <S extends AbstractStub<S>> S asking(Function<io.grpc.Channel, S> stub) {
    var asks = new Metadata();
    asks.put(Metadata.Key.of("x-server-timing", Metadata.ASCII_STRING_MARSHALLER), "1");
    return stub.apply(
        ClientInterceptors.intercept(
            channel,
            MetadataUtils.newAttachHeadersInterceptor(asks),
            MetadataUtils.newCaptureMetadataInterceptor(new AtomicReference<>(), trailers)));
  }

  private ServerTiming reported() {
    return ServerTiming.of(
        Objects.requireNonNull(trailers.get(), "trailers")
            .get(Metadata.Key.of("server-timing", Metadata.ASCII_STRING_MARSHALLER)));
  }

  /** The line of the one call; the log is complete when the server has stopped. */
  private JsonNode logged() throws IOException {
    server.close();
    return JSON.readTree(Files.readString(folder.resolve("log")));
  }

  private static GrpsMessage table() {
    var at = GenericTensor.newBuilder().setName("at").setDtype(DataType.DT_INT64);
    at.addShape(MESSAGES);
    for (int i = 0; i < MESSAGES; i++) {
      at.addFlatInt64(i % 4);
    }
    return GrpsMessage.newBuilder()
        .setModel("table")
        .setGtensors(GenericTensorData.newBuilder().addTensors(at))
        .build();
  }

  @Test
  void trailerOfALongStreamSaysWhatTheAccessLogSays() throws IOException {
    var answers = asking(GrpsServiceGrpc::newBlockingStub).predictStreaming(table());
    int messages = 0;
    while (answers.hasNext()) {
      var _ = answers.next();
      messages++;
    }
    assertThat(messages).isEqualTo(MESSAGES);

    ServerTiming times = reported();
    JsonNode line = logged();
    assertThat(times.time("run")).isCloseTo(line.path("run_ms").asDouble(), within(0.01));
    assertThat(times.time("decode")).isCloseTo(line.path("decode_ms").asDouble(), within(0.01));
    times.assertAddsUp();
  }

  private static ModelInferRequest slow() {
    return ModelInferRequest.newBuilder()
        .setModelName("slow")
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("INPUT0")
                .setDatatype("FP32")
                .addShape(1)
                .addShape(4))
        .addRawInputContents(ByteString.copyFrom(new byte[16]))
        .build();
  }

  /** A call of several requests. */
  private StreamObserver<ModelInferRequest> requests(
      AtomicInteger answers, CompletableFuture<@Nullable Void> ended) {
    return asking(GRPCInferenceServiceGrpc::newStub)
        .modelStreamInfer(
            new StreamObserver<>() {
              @Override
              public void onNext(ModelStreamInferResponse answer) {
                answers.incrementAndGet();
              }

              @Override
              public void onError(Throwable failure) {
                ended.completeExceptionally(failure);
              }

              @Override
              public void onCompleted() {
                ended.complete(null);
              }
            });
  }

  @Test
  void callOfSeveralRequestsSaysHowLongTheyRanAndHowLongNoneWasThere() throws IOException {
    var answers = new AtomicInteger();
    var ended = new CompletableFuture<@Nullable Void>();
    StreamObserver<ModelInferRequest> requests = requests(answers, ended);
    requests.onNext(slow());
    Polling.await("the first answer", () -> answers.get() == 1);
    long answered = System.nanoTime();
    Polling.await("30 ms passed", () -> System.nanoTime() - answered > 30_000_000);
    requests.onNext(slow());
    requests.onCompleted();
    ended.orTimeout(20, TimeUnit.SECONDS).join();

    ServerTiming times = reported();
    assertThat(times.stages()).containsExactlyInAnyOrder("receive", "handle", "run", "total");
    assertThat(times.time("receive")).isGreaterThan(1);
    assertThat(times.time("run"))
        .isPositive()
        .isCloseTo(logged().path("run_ms").asDouble(), within(0.01));
    times.assertAddsUp();
  }
}
