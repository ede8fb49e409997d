package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.grpc.proto.DataType;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.PluginJar;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that is told to end while runs of its models never will. */
@Timeout(120)
class HungDrainIT {
  private static final long STEPS = 1_000_000_000_000L;
  private static final String STOPPING = "is out of service: the server is stopping";

  @TempDir private Path models;
  private final int port = ChildServer.freePort();

  @Test
  void callersOfRunsThatDoNotEndAreAnsweredAndTheProcessEndsInTime() throws IOException {
    for (String model : new String[] {"first", "second", "third"}) {
      LoopModel.write(models, model);
    }
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
    try (var server =
            ChildServer.start(
                "serve",
                "--models=" + models,
                "--listen=localhost:" + port,
                "--set=shutdown.drain_timeout=2s");
        var http = new HttpCaller(port);
        var brpc = new BrpcClient(port);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      server.awaitModel("first/1");
      server.awaitModel("second/1");
      server.awaitModel("third/1");
      var running = CompletableFuture.supplyAsync(() -> post(http), threads);
      var rpc = CompletableFuture.supplyAsync(() -> infer(channel), threads);
      var call = CompletableFuture.supplyAsync(() -> ask(brpc), threads);
      awaitRun(http, "first");
      awaitRun(http, "second");
      awaitRun(http, "third");
      var waiting = CompletableFuture.supplyAsync(() -> post(http), threads);
      server.terminate();
      for (Answer answer : new Answer[] {running.join(), waiting.join()}) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(503);
        assertThat(answer.text()).contains(STOPPING);
      }
      assertThat(rpc.join().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(rpc.join().getDescription()).contains(STOPPING);
      assertThat(call.join()).contains(STOPPING);
      assertThat(server.exitCode()).isZero();
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void callersOfCodeThatDoesNotEndAreAnsweredAndTheProcessEndsInTime() throws IOException {
    LoopModel.write(models, "wrapped");
    stuck(models.resolve("stuck"), "Model");
    stuck(models.resolve("wrapped"), "Converter");
    try (var server =
            ChildServer.start(
                "serve",
                "--models=" + models,
                "--listen=localhost:" + port,
                "--set=models.plugins=" + models,
                "--set=shutdown.drain_timeout=2s");
        var http = new HttpCaller(port);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      server.awaitModel("stuck/1");
      server.awaitModel("wrapped/1");
      List<CompletableFuture<Answer>> calls = new ArrayList<>();
      for (String model : List.of("stuck", "stuck", "wrapped", "wrapped")) {
        calls.add(CompletableFuture.supplyAsync(() -> post(http, model), threads));
      }
      server.awaitLine("the code of stuck waits");
      server.awaitLine("the code of wrapped waits");
      server.terminate();
      for (CompletableFuture<Answer> call : calls) {
        Answer answer = call.join();
        assertThat(answer.status()).as(answer.text()).isEqualTo(503);
        assertThat(answer.text()).contains(STOPPING);
      }
      assertThat(server.exitCode()).isZero();
    }
  }

  /** A plugin with room for one call, which never ends: it does not heed interruptions. */
  private static void stuck(Path model, String kind) throws IOException {
    Path version = Files.createDirectories(model.resolve("1"));
    new PluginJar().file("Stuck" + kind).service(kind, "Stuck" + kind).into(version);
    Files.writeString(model.resolve("model.yml"), "java: { concurrency: 1, timeout: 0s }\n");
  }

  private static void awaitRun(HttpCaller http, String model) {
    String idle = "sluice_model_longest_run_seconds{model=\"" + model + "\",version=\"1\"} 0.0\n";
    while (http.send("GET", "/metrics", Buffer.buffer()).text().contains(idle)) {
      Thread.onSpinWait();
    }
  }

  private static Answer post(HttpCaller http) {
    return post(http, "first");
  }

  private static Answer post(HttpCaller http, String model) {
    var body =
        "{\"inputs\":[{\"name\":\"steps\",\"datatype\":\"INT64\",\"shape\":[],\"data\":["
            + STEPS
            + "]}]}";
    return http.post("/v2/models/" + model + "/infer", body);
  }

  private static Status infer(ManagedChannel channel) {
    var request = ModelInferRequest.newBuilder().setModelName("second");
    request.addInputsBuilder().setName("steps").setDatatype("INT64");
    ByteBuffer steps = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, STEPS);
    request.addRawInputContents(ByteString.copyFrom(steps));
    try {
      GRPCInferenceServiceGrpc.newBlockingStub(channel).modelInfer(request.build());
      return Status.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus();
    }
  }

  private static String ask(BrpcClient brpc) {
    var tensor =
        GenericTensor.newBuilder().setName("steps").setDtype(DataType.DT_INT64).addFlatInt64(STEPS);
    var request =
        GrpsMessage.newBuilder()
            .setModel("third")
            .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
            .build();
    try {
      var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Predict", 1);
      BrpcClient.Answer answer = brpc.ask(call, request.toByteArray());
      return answer.text() + answer.errorText();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
