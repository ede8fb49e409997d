package dev.sluice.conformance.oip;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfigReader;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code limits.request_timeout} is the time of each message of a stream. */
@Timeout(60)
class StreamRequestTimeoutIT {
  @TempDir private Path folder;

  private RunningServer start() throws IOException {
    OnnxModelWriter.twice().writeTo(Files.createDirectories(folder.resolve("models/twice/1")));
    Path settings = folder.resolve("sluice.yml");
    Files.writeString(
        settings,
        """
        listeners: [{ address: "localhost:0" }]
        models: { directory: "%s" }
        limits: { request_timeout: 300ms }
        """
            .formatted(folder.resolve("models")));
    return RunningServer.start(
        new SluiceConfigReader(_ -> {}).read(Optional.of(settings), Map.of(), List.of()));
  }

  @Test
  void streamTakesMessagesForLongerThanThat() throws Exception {
    BlockingQueue<ModelStreamInferResponse> answers = new LinkedBlockingQueue<>();
    try (RunningServer server = start()) {
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
      try {
        StreamObserver<ModelInferRequest> stream =
            GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(into(answers));
        stream.onNext(request());
        expectAnswer(answers);
        awaitRequestTimeout(server.port());
        stream.onNext(request());
        expectAnswer(answers);
        stream.onCompleted();
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private static ModelInferRequest request() {
    var input =
        ModelInferRequest.InferInputTensor.newBuilder()
            .setName("x")
            .setDatatype("FP32")
            .addShape(1)
            .addShape(2)
            .setContents(
                InferTensorContents.newBuilder().addFp32Contents(1).addFp32Contents(2).build());
    return ModelInferRequest.newBuilder().setModelName("twice").addInputs(input).build();
  }

  private static void expectAnswer(BlockingQueue<ModelStreamInferResponse> answers)
      throws InterruptedException {
    ModelStreamInferResponse answer = requireNonNull(answers.poll(30, TimeUnit.SECONDS));
    assertThat(answer.getErrorMessage()).isEmpty();
    assertThat(answer.getInferResponse().getModelName()).isEqualTo("twice");
  }

  /** A request whose body never comes begins now, and ends after the time. */
  private static void awaitRequestTimeout(int port) throws IOException {
    try (var socket = new Socket("localhost", port)) {
      socket
          .getOutputStream()
          .write(
              "POST /v2/models/twice/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
                  .getBytes(US_ASCII));
      assertThat(new String(socket.getInputStream().readNBytes(12), US_ASCII)).endsWith("504");
    }
  }

  private static StreamObserver<ModelStreamInferResponse> into(
      BlockingQueue<ModelStreamInferResponse> answers) {
    return new StreamObserver<>() {
      @Override
      public void onNext(ModelStreamInferResponse answer) {
        answers.add(answer);
      }

      @Override
      public void onError(Throwable failure) {
        answers.add(
            ModelStreamInferResponse.newBuilder().setErrorMessage(failure.toString()).build());
      }

      @Override
      public void onCompleted() {
        // Nothing is awaited after it.
      }
    };
  }
}
