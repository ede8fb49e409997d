package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.config.model.VocabularyFile;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The sample model that writes: text goes in, text comes out letter by letter. */
class WriterIT {
  private static final Path SAMPLES = Path.of("src/sample/models");
  private static final Path WRITER = SAMPLES.resolve("writer");
  private static final Pattern TEXT = Pattern.compile("\"text\":\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final int STEPS = 60;

  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() {
    server = RunningServer.start(SAMPLES);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  /** What the events of an answer say, one after the other. */
  private static String said(String events) {
    return TEXT.matcher(events)
        .results()
        .map(found -> found.group(1).replace("\\n", "\n").replace("\\\"", "\""))
        .collect(Collectors.joining());
  }

  private static CompletableFuture<String> write(HttpClient client, String body) {
    var request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://localhost:" + server.port() + "/v2/models/writer/generate_stream"))
            .POST(BodyPublishers.ofString(body))
            .build();
    return client.sendAsync(request, BodyHandlers.ofString()).thenApply(HttpResponse::body);
  }

  private static String write(String body) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return write(client, body).join();
    }
  }

  private static String get(String path) {
    return http.send("GET", path, Buffer.buffer()).text();
  }

  private static String likeliest(String text, int steps) {
    return "{\"text\": \"%s\", \"temperature\": 0, \"steps\": %d}".formatted(text, steps);
  }

  /** The same by hand: the bare runtime in a plain loop, the likeliest letter each time. */
  private static String byHand(String text, int steps) {
    List<String> letters = VocabularyFile.read(WRITER.resolve("vocabulary.json"));
    var id = new ModelId("writer", 1);
    var source = new ModelSource(id, WRITER.resolve("1"), RuntimesConfig.DEFAULT);
    var said = new StringBuilder();
    try (ModelSession session = new OnnxRuntimeProvider().open(source)) {
      Signature signature =
          Objects.requireNonNull(session.metadata().signatures().get(Signature.DEFAULT));
      List<NamedTensor> inputs = beginning(signature, tokens(text, letters));
      while (said.length() < steps) {
        List<NamedTensor> outputs = session.run(signature, inputs, signature.outputs());
        NamedTensor.closeAll(inputs);
        int letter = largest(outputs.getFirst().tensor());
        said.append(letters.get(letter));
        inputs = next(signature, outputs, letter);
      }
      NamedTensor.closeAll(inputs);
    }
    return said.toString();
  }

  private static Tensor tokens(String text, List<String> letters) {
    Tensor tokens = Tensor.allocate(DataType.INT64, Shape.of(1, text.length()));
    for (int i = 0; i < text.length(); i++) {
      tokens.data().setAtIndex(ValueLayout.JAVA_LONG, i, letters.indexOf(text.substring(i, i + 1)));
    }
    return tokens;
  }

  private static List<NamedTensor> beginning(Signature signature, Tensor tokens) {
    var inputs = new ArrayList<NamedTensor>();
    for (TensorSpec spec : signature.inputs()) {
      if (spec.name().equals("token")) {
        inputs.add(new NamedTensor("token", tokens));
      } else {
        long[] dims = spec.shape().dims();
        dims[0] = 1;
        Tensor zeros = Tensor.allocate(spec.type(), Shape.of(dims));
        zeros.data().fill((byte) 0);
        inputs.add(new NamedTensor(spec.name(), zeros));
      }
    }
    return inputs;
  }

  private static int largest(Tensor logits) {
    int best = 0;
    for (int i = 1; i < logits.elementCount(); i++) {
      float value = logits.data().getAtIndex(ValueLayout.JAVA_FLOAT, i);
      best = value > logits.data().getAtIndex(ValueLayout.JAVA_FLOAT, best) ? i : best;
    }
    return best;
  }

  private static List<NamedTensor> next(
      Signature signature, List<NamedTensor> outputs, int letter) {
    var inputs = new ArrayList<NamedTensor>();
    for (NamedTensor output : outputs) {
      switch (output.name()) {
        case "logits" -> output.tensor().close();
        case "next_position" -> inputs.add(new NamedTensor("position", output.tensor()));
        default ->
            inputs.add(new NamedTensor(output.name().replace("present", "past"), output.tensor()));
      }
    }
    Tensor token = Tensor.allocate(DataType.INT64, Shape.of(1, 1));
    token.data().set(ValueLayout.JAVA_LONG, 0, letter);
    inputs.add(new NamedTensor(signature.inputs().getFirst().name(), token));
    return inputs;
  }

  @Test
  void itWritesWhatALoopByHandWrites() {
    String body = write(likeliest("Emma said that ", STEPS));
    assertThat(body).contains("data: {\"model_name\":\"writer\",\"model_version\":\"1\",\"text\":");
    assertThat(said(body)).isEqualTo(byHand("Emma said that ", STEPS));
  }

  @Test
  void itWritesTheSameBesideSixtyFourOthersWhoseTextsHaveOtherLengths() {
    List<String> beginnings =
        Stream.iterate("A letter ", text -> text.length() < 74, text -> text + "a").toList();
    try (HttpClient client = HttpClient.newHttpClient()) {
      List<CompletableFuture<String>> answers =
          beginnings.stream().map(text -> write(client, likeliest(text, STEPS))).toList();
      for (int i = 0; i < beginnings.size(); i += 8) {
        assertThat(said(answers.get(i).join())).isEqualTo(byHand(beginnings.get(i), STEPS));
      }
      answers.forEach(answer -> assertThat(said(answer.join())).hasSize(STEPS));
    }
  }

  @Test
  void theSameSeedWritesTheSame() {
    String body = "{\"text\": \"My dear \", \"seed\": 7, \"steps\": 80}";
    String first = said(write(body));
    assertThat(first).hasSize(80).isEqualTo(said(write(body)));
    assertThat(first).isNotEqualTo(said(write(body.replace("7", "8"))));
  }

  @Test
  void aLetterThatItDoesNotKnowIsNamed() {
    assertThat(write(likeliest("Emmë", 3)))
        .isEqualTo(
            "data: {\"error\":\"\\\"ë\\\", character 3 of the text, is not in the model's"
                + " vocabulary\"}\n\n");
  }

  @Test
  void moreThanOneTextIsRefused() {
    assertThat(write("{\"text\": [\"a\", \"b\"]}")).contains("a stream takes one text");
  }

  @Test
  void clientsSeeTextAndThatThereAreManyAnswers() {
    assertThat(get("/v2/models/writer"))
        .contains("\"inputs\":[{\"name\":\"text\",\"datatype\":\"BYTES\"")
        .contains("\"outputs\":[{\"name\":\"text\",\"datatype\":\"BYTES\"");
    assertThat(get("/v2/models/writer/config")).contains("{\"decoupled\":true}");
  }
}
