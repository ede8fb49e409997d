package dev.sluice.conformance.tfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One more request than a queue holds that refuses as TensorFlow Serving's batching does. */
class FullQueueIT {
  private static final String FULL =
      "The batch scheduling queue to which this task was submitted is full";

  @TempDir private Path models;

  @Test
  void requestThatTheQueueDoesNotHoldIsUnavailable() throws IOException {
    LoopModel.write(models, "loop");
    Files.writeString(
        models.resolve("loop/model.yml"),
        "{ concurrency: 1, max_queued_requests: 1, queue_full: unavailable, admission: { adaptive:"
            + " false } }");
    try (var server = RunningServer.start(models);
        var http = new HttpCaller(server.port());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var running = CompletableFuture.supplyAsync(() -> predict(http, 1_000_000), threads);
      await(http, "sluice_model_longest_run_seconds");
      var waiting = CompletableFuture.supplyAsync(() -> predict(http, 1), threads);
      await(http, "sluice_queue_length");
      Answer refused = predict(http, 1);
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.text()).contains(FULL);
      requireUnavailable(server.port());
      assertThat(running.join().status()).isEqualTo(200);
      assertThat(waiting.join().status()).isEqualTo(200);
    }
  }

  private static Answer predict(HttpCaller http, long steps) {
    return http.send(
        "POST", "/v1/models/loop:predict", Buffer.buffer("{\"inputs\":{\"steps\":" + steps + "}}"));
  }

  /** Waits until a gauge of the model is not 0. */
  private static void await(HttpCaller http, String gauge) {
    String none = gauge + "{model=\"loop\",version=\"1\"} 0.0\n";
    while (http.send("GET", "/metrics", Buffer.buffer()).text().contains(none)) {
      Thread.onSpinWait();
    }
  }

  private static void requireUnavailable(int port) {
    var steps =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_INT64)
            .setTensorShape(TensorShapeProto.getDefaultInstance())
            .addInt64Val(1);
    var request =
        PredictRequest.newBuilder()
            .setModelSpec(ModelSpec.newBuilder().setName("loop"))
            .putInputs("steps", steps.build())
            .build();
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
    try {
      var refused =
          catchThrowableOfType(
              StatusRuntimeException.class,
              () -> PredictionServiceGrpc.newBlockingStub(channel).predict(request));
      assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(refused.getStatus().getDescription()).isEqualTo(FULL);
    } finally {
      channel.shutdownNow();
    }
  }
}
