package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferInputTensor;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ensembles, written as Triton has them, whose members answer by streams. */
@Timeout(60)
class DecoupledEnsemblesIT {
  private static final String TEXTS =
      """
      platform: "ensemble"
      input { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }
      output { name: "SAID" data_type: TYPE_STRING dims: [ 1 ] }
      """;

  @TempDir static Path models;
  private static RunningServer server;

  @BeforeAll
  static void start() throws IOException {
    code().service("Model", "Parrot").into(models.resolve("parrot/1"));
    code().service("StreamingModel", "Chatter").into(models.resolve("words/1"));
    code()
        .source(
            "Letters",
            """
            import dev.sluice.extension.*;

            public final class Letters implements StreamingModel {
              @Override
              public ModelSignature signature() {
                return Parrot.ofTexts();
              }

              @Override
              public void run(Request request, Emitter emitter) throws InterruptedException {
                String text = request.input("TEXT").texts().getFirst();
                for (int i = 0; i < text.length(); i++) {
                  var letter = Answer.of(Value.text("TEXT", text.substring(i, i + 1)));
                  if (i == text.length() - 1) {
                    emitter.last(letter);
                  } else {
                    emitter.emit(letter);
                  }
                }
              }
            }
            """)
        .service("StreamingModel", "Letters")
        .into(models.resolve("letters/1"));
    ensemble("said", "words", "parrot");
    ensemble("spelled", "words", "letters", "parrot");
    ensemble("shouted", "said_alone", "parrot");
    ensemble("said_alone", "letters");
    server = RunningServer.startWithPlugins(models);
  }

  private static PluginJar code() {
    return new PluginJar().file("Parrot").file("Chatter");
  }

  private static void ensemble(String name, String... members) throws IOException {
    var steps = new StringBuilder(TEXTS).append("ensemble_scheduling {\n");
    String from = "TEXT";
    for (int i = 0; i < members.length; i++) {
      String to = i == members.length - 1 ? "SAID" : "t" + i;
      String output = members[i].startsWith("said") ? "SAID" : "TEXT";
      steps.append(
          """
            step { model_name: "%s" model_version: -1
              input_map { key: "TEXT" value: "%s" } output_map { key: "%s" value: "%s" } }
          """
              .formatted(members[i], from, output, to));
      from = to;
    }
    Files.createDirectories(models.resolve(name).resolve("1"));
    Files.writeString(models.resolve(name).resolve("config.pbtxt"), steps.append("}\n"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static List<String> events(String model, String text) {
    try (var caller = new HttpCaller(server.port())) {
      String body = new JsonObject().put("TEXT", text).encode();
      String path = "/v2/models/" + model + "/generate_stream";
      return Stream.of(caller.send("POST", path, Buffer.buffer(body)).text().split("\n\n"))
          .filter(event -> !event.isEmpty())
          .map(event -> new JsonObject(event.substring("data: ".length())))
          .map(event -> event.getString("SAID", event.getString("error")))
          .toList();
    }
  }

  @Test
  void eachResponseIsAnEvent() {
    assertThat(events("said", "one two three")).containsExactly("one", "two", "three");
    assertThat(events("spelled", "ab cd")).containsExactly("a", "b", "c", "d");
    assertThat(events("shouted", "abc")).as("an ensemble within").containsExactly("a", "b", "c");
    assertThat(events("said", "")).isEmpty();
  }

  @Test
  void aMemberThatFailsEndsTheEvents() {
    assertThat(events("said", "one FAIL two"))
        .containsExactly("one", "ensemble 'said', step 1 (model 'words'): it chokes on a word");
  }

  @Test
  void theEnsembleIsDecoupledAndHasNoOneAnswer() {
    try (var caller = new HttpCaller(server.port())) {
      String config = caller.send("GET", "/v2/models/said/config", Buffer.buffer()).text();
      assertThat(config).contains("\"model_transaction_policy\":{\"decoupled\":true}");
      var answer = caller.send("POST", "/v2/models/said/infer", Buffer.buffer("{}"));
      assertThat(answer.status()).isEqualTo(501);
      assertThat(answer.text())
          .contains("HTTP end point doesn't support models with decoupled transaction policy");
    }
  }

  @Test
  void streamsAreCountedAsRequestsAndByTheirResponses() {
    ensembleStream("spelled", "ab", false);
    try (var caller = new HttpCaller(server.port())) {
      String path = "/v2/models/spelled/stats";
      var stats =
          new JsonObject(caller.send("GET", path, Buffer.buffer()).text())
              .getJsonArray("model_stats")
              .getJsonObject(0);
      assertThat(stats.getJsonObject("inference_stats").getJsonObject("success").getLong("count"))
          .isPositive();
      assertThat(stats.getJsonObject("response_stats").fieldNames()).contains("0", "1");
    }
  }

  private static List<String> ensembleStream(String model, String text, boolean emptyFinal) {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    try {
      BlockingQueue<String> told = new LinkedBlockingQueue<>();
      var ended = new CompletableFuture<Void>();
      var contents =
          InferTensorContents.newBuilder().addBytesContents(ByteString.copyFromUtf8(text));
      var request =
          ModelInferRequest.newBuilder()
              .setModelName(model)
              .setId("r")
              .putParameters(
                  "triton_enable_empty_final_response",
                  InferParameter.newBuilder().setBoolParam(emptyFinal).build())
              .addInputs(
                  InferInputTensor.newBuilder()
                      .setName("TEXT")
                      .setDatatype("BYTES")
                      .addShape(1)
                      .setContents(contents));
      StreamObserver<ModelInferRequest> call =
          GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(observer(told, ended));
      call.onNext(request.build());
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
        String text =
            empty ? "nothing" : response.getRawOutputContents(0).substring(4).toStringUtf8();
        told.add(text + (last ? " final" : "") + answer.getErrorMessage());
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
  void finalResponsesAreMarkedWhereAllMembersMarkThem() {
    assertThat(ensembleStream("said", "a b", false)).containsExactly("a", "b");
    assertThat(ensembleStream("said", "a b", true)).containsExactly("a", "b", "nothing final");
    assertThat(ensembleStream("shouted", "abc", true)).containsExactly("a", "b", "c final");
    assertThat(ensembleStream("spelled", "ab c", true))
        .as("the words have no last one")
        .containsExactly("a", "b", "c", "nothing final");
    assertThat(ensembleStream("said", "a FAIL", false))
        .containsExactly(
            "a", "nothing finalensemble 'said', step 1 (model 'words'): it chokes on a word");
  }
}
