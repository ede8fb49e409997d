package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.grpc.proto.GenericMapData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The sample model that talks. What it has to say was recorded from the bare runtime in Python, by
 * {@code chat_examples.py}.
 */
class ChatIT {
  private static final Path SAMPLES = Path.of("src/sample/models");
  private static final Path EXAMPLES = Path.of("src/sample/scripts/chat_examples.json");
  private static final JsonMapper JSON = new JsonMapper();
  private static final int CLIENTS = 64;
  private static final String V2 = "/v2/models/chat/";

  private static RunningServer server;
  private static HttpCaller http;
  private static ManagedChannel channel;

  /**
   * A text that the model is given, and what it says then.
   *
   * @param text a conversation so far, or a bare text
   */
  record Example(String text, String answer) {
    String body() {
      return json(Map.of("text", text, "temperature", 0));
    }
  }

  @BeforeAll
  static void start() {
    server = RunningServer.start(SAMPLES);
    http = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    http.close();
    server.close();
  }

  static List<Example> examples() throws IOException {
    return JSON.readValue(EXAMPLES.toFile(), new TypeReference<>() {});
  }

  /** Bare texts, a conversation that begins, and one that has gone on. */
  static List<Example> someExamples() throws IOException {
    List<Example> all = examples();
    return List.of(all.getFirst(), all.get(2), all.get(4), all.get(9));
  }

  private static String json(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  private static JsonNode parsed(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError(text, e);
    }
  }

  private static Answer post(String path, String body) {
    MultiMap json = MultiMap.caseInsensitiveMultiMap().add("Content-Type", "application/json");
    Answer answer = http.send("POST", path, json, Buffer.buffer(body));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  /** The pieces of an answer, one behind the other, found in each line at a JSON pointer. */
  private static String joined(String lines, String at) {
    return lines
        .lines()
        .filter(line -> !line.isEmpty())
        .map(line -> parsed(line.replaceFirst("^data: ", "")).at(at).textValue())
        .collect(Collectors.joining());
  }

  private static String byV2(Example example) {
    return parsed(post(V2 + "generate", example.body()).text()).get("text").textValue();
  }

  private static String byV1(Example example) {
    Map<String, ?> body =
        Map.of(
            "instances", List.of(Map.of("text", example.text())),
            "parameters", Map.of("temperature", 0));
    JsonNode answer = parsed(post("/v1/models/chat:predict", json(body)).text());
    return answer.at("/predictions/0/text").textValue();
  }

  private static String byGrpsHttp(Example example, String query) {
    Map<String, ?> map =
        Map.of("s_s", Map.of("text", example.text()), "s_d", Map.of("temperature", 0));
    String path = "/grps/v1/infer/predict" + query;
    return joined(post(path, json(Map.of("model", "chat", "gmap", map))).text(), "/gmap/s_s/text");
  }

  private static String byGrpsGrpc(Example example) {
    var map = GenericMapData.newBuilder().putSS("text", example.text()).putSD("temperature", 0);
    var request = GrpsMessage.newBuilder().setModel("chat").setGmap(map).build();
    Iterable<GrpsMessage> messages =
        () -> GrpsServiceGrpc.newBlockingStub(channel).predictStreaming(request);
    return StreamSupport.stream(messages.spliterator(), false)
        .map(message -> message.getGmap().getSSOrThrow("text"))
        .collect(Collectors.joining());
  }

  private static String byV2Grpc(Example example) {
    var text =
        ModelInferRequest.InferInputTensor.newBuilder()
            .setName("text")
            .setDatatype("BYTES")
            .addShape(1)
            .setContents(
                InferTensorContents.newBuilder()
                    .addBytesContents(ByteString.copyFromUtf8(example.text())));
    ModelInferResponse response =
        GRPCInferenceServiceGrpc.newBlockingStub(channel)
            .modelInfer(
                ModelInferRequest.newBuilder()
                    .setModelName("chat")
                    .addInputs(text)
                    .putParameters(
                        "temperature", InferParameter.newBuilder().setDoubleParam(0).build())
                    .build());
    ByteBuffer raw = response.getRawOutputContents(0).asReadOnlyByteBuffer();
    byte[] said = new byte[raw.order(ByteOrder.LITTLE_ENDIAN).getInt()];
    raw.get(said);
    return new String(said, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void itSaysWhatTheBareRuntimeSays(Example example) {
    assertThat(byV2(example)).isEqualTo(example.answer());
  }

  @ParameterizedTest
  @MethodSource("someExamples")
  void itSaysTheSameByEveryProtocol(Example example) {
    Map<String, String> said = new LinkedHashMap<>();
    said.put("V2 events", joined(post(V2 + "generate_stream", example.body()).text(), "/text"));
    said.put("V2 gRPC", byV2Grpc(example));
    said.put("V1", byV1(example));
    said.put("grps", byGrpsHttp(example, ""));
    said.put("grps stream", byGrpsHttp(example, "?streaming=true"));
    said.put("grps gRPC", byGrpsGrpc(example));
    assertThat(said).allSatisfy((_, text) -> assertThat(text).isEqualTo(example.answer()));
  }

  @Test
  void manyConversationsOfDifferentLengthsAtOnceAnswerAsEachAlone() throws IOException {
    List<Example> examples = examples();
    try (HttpClient client = HttpClient.newHttpClient()) {
      List<CompletableFuture<String>> answers =
          examples.stream().map(example -> stream(client, example.body())).toList();
      for (int i = 0; i < examples.size(); i++) {
        assertThat(joined(answers.get(i).join(), "/text")).isEqualTo(examples.get(i).answer());
      }
    }
  }

  /** Each of 64 clients asks several times; some take part of an answer, and some leave. */
  @Test
  void streamsAmong63OthersThatComeAndGoSayWhatEachSaysAlone() throws Exception {
    List<Example> examples = examples();
    long runs = count("execution_count");
    long steps = count("inference_count");
    try (HttpClient client = HttpClient.newHttpClient();
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var clients = new ArrayList<Future<?>>();
      for (int i = 0; i < CLIENTS; i++) {
        var random = new SplittableRandom(i);
        clients.add(threads.submit(() -> askInTurn(client, examples, random)));
      }
      for (Future<?> asked : clients) {
        asked.get();
      }
    }
    assertThat(count("inference_count") - steps)
        .as("steps of streams of different lengths share runs")
        .isGreaterThan(2 * (count("execution_count") - runs));
  }

  @Test
  void seededStreamsAmong63OthersSayWhatEachSaysAlone() throws Exception {
    List<Example> examples = examples();
    List<String> bodies =
        IntStream.range(0, CLIENTS)
            .mapToObj(i -> seeded(examples.get(i % examples.size()).text(), i))
            .toList();
    try (HttpClient client = HttpClient.newHttpClient()) {
      var alone = new ArrayList<String>();
      for (String body : bodies) {
        alone.add(streamed(client, body));
      }
      List<CompletableFuture<String>> together =
          bodies.stream().map(body -> stream(client, body)).toList();
      assertThat(together.stream().map(answer -> joined(answer.join(), "/text")))
          .containsExactlyElementsOf(alone);
      assertThat(Set.copyOf(alone))
          .as("what they say is up to their seeds")
          .hasSizeGreaterThan(examples.size());
    }
  }

  private static String seeded(String text, int seed) {
    return json(Map.of("text", text, "temperature", 1.3, "seed", seed, "max_tokens", 12));
  }

  private static long count(String statistic) {
    String statistics = http.send("GET", V2 + "stats", Buffer.buffer()).text();
    return parsed(statistics).at("/model_stats/0/" + statistic).longValue();
  }

  private static Void askInTurn(HttpClient client, List<Example> examples, SplittableRandom random)
      throws IOException, InterruptedException {
    for (int i = 0; i < 3; i++) {
      Example example = examples.get(random.nextInt(examples.size()));
      switch (random.nextInt(3)) {
        case 0 -> assertThat(streamed(client, example.body())).isEqualTo(example.answer());
        case 1 -> assertThat(example.answer()).startsWith(streamed(client, cut(example, random)));
        default -> leaveAfterTheFirstText(client, example);
      }
    }
    return null;
  }

  private static String cut(Example example, SplittableRandom random) {
    return json(
        Map.of("text", example.text(), "temperature", 0, "max_tokens", 1 + random.nextInt(20)));
  }

  private static String streamed(HttpClient client, String body)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = client.send(streaming(body), BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(200);
    return joined(answer.body(), "/text");
  }

  private static void leaveAfterTheFirstText(HttpClient client, Example example)
      throws IOException, InterruptedException {
    HttpResponse<InputStream> answer =
        client.send(streaming(example.body()), BodyHandlers.ofInputStream());
    try (InputStream body = answer.body()) {
      assertThat(body.read()).isEqualTo('d');
    }
  }

  private static HttpRequest streaming(String body) {
    URI address = URI.create("http://localhost:" + server.port() + V2 + "generate_stream");
    return HttpRequest.newBuilder(address).POST(BodyPublishers.ofString(body)).build();
  }

  private static CompletableFuture<String> stream(HttpClient client, String body) {
    return client.sendAsync(streaming(body), BodyHandlers.ofString()).thenApply(HttpResponse::body);
  }

  @Test
  void aBiasForATokenThatTheModelDoesNotHaveIsRefused() {
    String body = "{\"text\": \"Hello!\", \"logit_bias\": {\"%d\": 1}}";
    assertThat(http.send("POST", V2 + "generate", Buffer.buffer(body.formatted(2047))).status())
        .isEqualTo(200);
    Answer answer = http.send("POST", V2 + "generate", Buffer.buffer(body.formatted(2048)));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text())
        .contains("\\\"logit_bias\\\" has token 2048; the model has 2048 tokens, from 0");
  }

  @Test
  void aConversationThatHasBecomeTooLongIsRefused() {
    String text = "<|im_start|>user\nHello!<|im_end|>\n".repeat(80);
    Answer answer = http.send("POST", V2 + "generate", Buffer.buffer(json(Map.of("text", text))));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains("together the model takes 512");
  }
}
