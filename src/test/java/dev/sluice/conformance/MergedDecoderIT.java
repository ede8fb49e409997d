package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.MaskedDecoder.Positions;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Folders with a decoder of two branches, as Optimum exports and Hugging Face publishes them. */
@Timeout(120)
class MergedDecoderIT {
  private static final Pattern TOKEN = Pattern.compile("\"token\":(\\d+)");
  private static final String MERGED = "decoder_model_merged.onnx";
  private static final int STEPS = 8;
  private static final long[] PROMPT = {3, 1, 4, 1, 5};

  @TempDir static Path models;
  @TempDir static Path elsewhere;
  private static long blocksBefore;
  private static List<Integer> tokens;
  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() throws IOException {
    blocksBefore = TensorMemory.openBlocks();
    var plain = new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT);
    try (ModelSession bare = MaskedDecoder.open(plain.writeTo(elsewhere, "plain", STEPS, ""))) {
      tokens = MaskedDecoder.tokens(MaskedDecoder.loop(bare, STEPS, PROMPT));
    }
    Path exported = merged("exported");
    Files.move(exported.resolve("model.onnx"), exported.resolve(MERGED));
    addParts(exported);
    Path published = merged("published");
    Path graphs = Files.createDirectory(published.resolve("onnx"));
    Files.move(published.resolve("model.onnx"), graphs.resolve(MERGED));
    addParts(graphs);
    Files.delete(merged("graph").resolve("model.yml"));
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  private static Path merged(String name) throws IOException {
    Path folder =
        new MaskedDecoder(Positions.GIVEN, OnnxModelWriter.FLOAT, true)
            .writeTo(models, name, STEPS, "");
    Files.writeString(folder.resolve("config.json"), "{\"architectures\": [\"GPT2LMHeadModel\"]}");
    return folder;
  }

  /** The decoders that the merged one was made of. */
  private static void addParts(Path folder) throws IOException {
    for (String part : List.of("decoder_model.onnx", "decoder_with_past_model.onnx")) {
      Files.writeString(folder.resolve(part), "not to be opened");
    }
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private static HttpCaller.Answer post(String path, String body) {
    return http.send("POST", path, Buffer.buffer(body));
  }

  @ParameterizedTest
  @ValueSource(strings = {"exported", "published"})
  void theMergedDecoderBesideItsPartsIsStreamed(String model) {
    String events =
        post("/v2/models/" + model + "/generate_stream", "{\"input_ids\":[3,1,4,1,5]}").text();
    assertThat(TOKEN.matcher(events).results().map(token -> Integer.valueOf(token.group(1))))
        .containsExactlyElementsOf(tokens);
  }

  @Test
  void theBranchIsNoInputOfItsStreams() {
    assertThat(http.send("GET", "/v2/models/exported", Buffer.buffer()).text())
        .contains("past_key_values.0.key")
        .doesNotContain("use_cache_branch");
    HttpCaller.Answer refused =
        post(
            "/v2/models/exported/generate_stream",
            "{\"input_ids\":[3],\"use_cache_branch\":[true]}");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).contains("use_cache_branch");
  }

  @Test
  void aMergedDecoderThatIsNotRunInALoopTakesTheBranchFromItsCaller() {
    HttpCaller.Answer metadata = http.send("GET", "/v2/models/graph", Buffer.buffer());
    assertThat(metadata.text()).contains("use_cache_branch");
  }
}
