package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferInputTensor;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How requests wait for a slow model whose configuration is Triton's. */
class SchedulePolicyIT {
  /** As many times as slow, for a test that has to see a run under way. */
  private static final int WATCHED = 6;

  @TempDir Path models;

  private RunningServer serve(int times, String batching) throws IOException {
    TestModels.writeSlow(models.resolve("slow/1"), times);
    Files.writeString(
        models.resolve("slow/config.pbtxt"),
        "max_batch_size: 8 instance_group [ { count: 1 kind: KIND_CPU } ] dynamic_batching { "
            + batching
            + " }");
    return RunningServer.start(models);
  }

  private static CompletableFuture<Answer> ask(RunningServer server, int rows, String parameters) {
    String data = String.join(",", IntStream.range(0, rows).mapToObj(_ -> "1").toList());
    String body =
        """
        {"parameters":{%s},"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[%d,1],"data":[%s]}]}\
        """
            .formatted(parameters, rows, data);
    return CompletableFuture.supplyAsync(() -> {
      try (var caller = new HttpCaller(server.port())) {
        return caller.send("POST", "/v2/models/slow/infer", Buffer.buffer(body));
      }
    });
  }

  private static List<Answer> all(Stream<CompletableFuture<Answer>> asked) {
    return asked.toList().stream().map(CompletableFuture::join).toList();
  }

  private static JsonNode statistics(RunningServer server) throws IOException {
    try (var caller = new HttpCaller(server.port())) {
      String text = caller.send("GET", "/v2/models/slow/stats", Buffer.buffer()).text();
      return new JsonMapper().readTree(text).at("/model_stats/0");
    }
  }

  @Test
  void rejectionByAFullQueueIsCounted() throws IOException {
    try (var server = serve(1, "default_queue_policy { max_queue_size: 2 }")) {
      List<Answer> answers = all(IntStream.range(0, 6).mapToObj(_ -> ask(server, 8, "")));
      long good = answers.stream().filter(answer -> answer.status() == 200).count();
      List<Answer> refused = answers.stream().filter(answer -> answer.status() != 200).toList();
      assertThat(refused)
          .isNotEmpty()
          .allSatisfy(answer -> assertThat(answer.status()).isEqualTo(503))
          .allSatisfy(answer -> assertThat(answer.text()).contains("Exceeds maximum queue size"));
      JsonNode stats = statistics(server);
      assertThat(stats.at("/inference_stats/success/count").longValue()).isEqualTo(good);
      assertThat(stats.path("inference_count").longValue()).isEqualTo(8 * good);
      try (var caller = new HttpCaller(server.port())) {
        assertThat(caller.send("GET", "/metrics", Buffer.buffer()).text())
            .contains(
                "nv_inference_request_failure{model=\"slow\",reason=\"REJECTED\",version=\"1\"} "
                    + refused.size());
      }
    }
  }

  @Test
  void requestsThatComeTogetherRunTogether() throws IOException {
    try (var server =
        serve(1, "preferred_batch_size: [ 8 ] max_queue_delay_microseconds: 500000")) {
      List<Answer> answers = all(IntStream.range(0, 8).mapToObj(_ -> ask(server, 1, "")));
      assertThat(answers).allSatisfy(answer -> assertThat(answer.status()).isEqualTo(200));
      JsonNode stats = statistics(server);
      assertThat(stats.path("inference_count").longValue()).isEqualTo(8);
      assertThat(stats.path("execution_count").longValue()).isBetween(1L, 3L);
    }
  }

  @Test
  void requestMayShortenItsTimeInTheQueueButNotThatOfItsRun() throws IOException {
    try (var server =
        serve(
            WATCHED,
            """
            default_queue_policy {
              default_timeout_microseconds: 60000000 allow_timeout_override: true
            }
            """)) {
      Answer running = ask(server, 1, "\"timeout\":200000").join();
      assertThat(running.status()).as(running.text()).isEqualTo(200);
      List<CompletableFuture<Answer>> before =
          IntStream.range(0, 3).mapToObj(_ -> ask(server, 8, "")).toList();
      Answer late = waitingBehind(server, before, "\"timeout\":1");
      assertThat(late.status()).as(late.text()).isEqualTo(503);
      assertThat(late.text()).contains("Request timeout expired");
      assertThat(all(before.stream())).allSatisfy(a -> assertThat(a.status()).isEqualTo(200));
    }
  }

  @Test
  void lateRequestIsAnsweredAllTheSameIfThePolicyDelaysIt() throws IOException {
    try (var server =
        serve(
            WATCHED,
            """
            default_queue_policy {
              timeout_action: DELAY default_timeout_microseconds: 1000 allow_timeout_override: true
            }
            """)) {
      List<CompletableFuture<Answer>> before =
          IntStream.range(0, 3).mapToObj(_ -> ask(server, 8, "")).toList();
      assertThat(waitingBehind(server, before, "\"timeout\":1").status()).isEqualTo(200);
      assertThat(all(before.stream())).allSatisfy(a -> assertThat(a.status()).isEqualTo(200));
    }
  }

  /** Asks while the model runs for others. */
  private static Answer waitingBehind(
      RunningServer server, List<CompletableFuture<Answer>> before, String parameters) {
    try (var caller = new HttpCaller(server.port())) {
      String pending = "nv_inference_pending_request_count{model=\"slow\",version=\"1\"} ";
      boolean busy = false;
      while (!busy && !before.stream().allMatch(CompletableFuture::isDone)) {
        String page = caller.send("GET", "/metrics", Buffer.buffer()).text();
        busy = page.contains(pending + "1") || page.contains(pending + "2");
      }
      assertThat(busy).isTrue();
    }
    return ask(server, 1, parameters).join();
  }

  @Test
  void callWhoseDeadlinePassesLeavesTheQueue() throws Exception {
    try (var server = serve(1, "")) {
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
      try {
        var stub =
            GRPCInferenceServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(50, TimeUnit.MILLISECONDS);
        var input = InferInputTensor.newBuilder().setName("INPUT0").setDatatype("FP32");
        input.addShape(1).addShape(1).getContentsBuilder().addFp32Contents(1);
        var request = ModelInferRequest.newBuilder().setModelName("slow").addInputs(input).build();
        CompletableFuture<Answer> first = ask(server, 8, "");
        assertThatExceptionOfType(StatusRuntimeException.class)
            .isThrownBy(() -> stub.modelInfer(request))
            .extracting(failure -> failure.getStatus().getCode())
            .isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        assertThat(first.join().status()).isEqualTo(200);
        assertThat(ask(server, 1, "").join().status()).isEqualTo(200);
      } finally {
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
      }
    }
  }
}
