package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferInputTensor;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.testing.OipCase;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The generating and repeating models that the protocol's extensions are explained with. */
@Timeout(60)
class DecoupledModelsIT {
  @TempDir static Path models;
  private static RunningServer server;

  @BeforeAll
  static void start() {
    new PluginJar().file("Parrot").service("Model", "Parrot").into(models.resolve("gen/1"));
    new PluginJar()
        .file("Parrot")
        .file("Chatter")
        .service("StreamingModel", "Chatter")
        .into(models.resolve("gen_d/1"));
    repeating("rep");
    repeating("rep_grpc");
    server = RunningServer.startWithPlugins(models);
  }

  private static void repeating(String name) {
    new PluginJar()
        .file("Repeat")
        .service("StreamingModel", "Repeat")
        .into(models.resolve(name).resolve("1"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @TestFactory
  List<DynamicTest> recordedRequests() {
    return OipCase.tests("decoupled", server.url());
  }

  private static InferInputTensor.Builder input(String name, String type, int size) {
    return InferInputTensor.newBuilder().setName(name).setDatatype(type).addShape(size);
  }

  private static ModelInferRequest.Builder repeat(Integer... values) {
    List<Integer> delays = Collections.nCopies(values.length, 0);
    return ModelInferRequest.newBuilder()
        .setModelName("rep_grpc")
        .setId("r")
        .addInputs(
            input("IN", "INT32", values.length)
                .setContents(InferTensorContents.newBuilder().addAllIntContents(List.of(values))))
        .addInputs(
            input("DELAY", "UINT32", values.length)
                .setContents(InferTensorContents.newBuilder().addAllUintContents(delays)))
        .addInputs(
            input("WAIT", "UINT32", 1)
                .setContents(InferTensorContents.newBuilder().addUintContents(0)));
  }

  /** Each response: what it says in OUT, or nothing, and whether it is the final one. */
  private static List<String> stream(ModelInferRequest request) {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    try {
      BlockingQueue<String> told = new LinkedBlockingQueue<>();
      var ended = new CompletableFuture<Void>();
      StreamObserver<ModelInferRequest> call =
          GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(observer(told, ended));
      call.onNext(request);
      call.onCompleted();
      ended.join();
      return List.copyOf(told);
    } finally {
      channel.shutdownNow();
    }
  }

  private static StreamObserver<ModelStreamInferResponse> observer(
      BlockingQueue<String> told, CompletableFuture<Void> ended) {
    return new StreamObserver<>() {
      @Override
      public void onNext(ModelStreamInferResponse answer) {
        ModelInferResponse response = answer.getInferResponse();
        boolean last = response.getParametersOrThrow("triton_final_response").getBoolParam();
        boolean empty = response.getRawOutputContentsCount() == 0;
        told.add(
            response.getId()
                + (empty ? " nothing" : " " + response.getRawOutputContents(0).byteAt(0))
                + (last ? " final" : "")
                + answer.getErrorMessage());
      }

      @Override
      public void onError(Throwable failure) {
        ended.completeExceptionally(failure);
      }

      @Override
      public void onCompleted() {
        ended.complete(null);
      }
    };
  }

  @Test
  void eachElementIsAResponseAndNoneIsFinal() {
    assertThat(stream(repeat(7, 8, 9).build())).containsExactly("r 7", "r 8", "r 9");
    assertThat(stream(repeat().build())).isEmpty();
  }

  @Test
  void theEndIsAResponseForThoseWhoWantIt() {
    var wish = InferParameter.newBuilder().setBoolParam(true).build();
    assertThat(
            stream(
                repeat(7, 8, 9).putParameters("triton_enable_empty_final_response", wish).build()))
        .containsExactly("r 7", "r 8", "r 9", "r nothing final");
    assertThat(stream(repeat().putParameters("triton_enable_empty_final_response", wish).build()))
        .containsExactly("r nothing final");
  }
}
