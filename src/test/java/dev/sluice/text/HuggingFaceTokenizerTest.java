package dev.sluice.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.inference.InferenceException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Ids are those that the same library gives in Python: {@code make_tokenizer.py}. */
class HuggingFaceTokenizerTest {
  private static final Path FILES = Path.of("src/test/resources/text");
  private static final Path TOKENIZER = FILES.resolve("tokenizer.json");

  private static final TokenCodec PLAIN = HuggingFaceTokenizer.read(TOKENIZER, false);
  private static final TokenCodec SPECIAL = HuggingFaceTokenizer.read(TOKENIZER, true);

  static Stream<JsonNode> texts() throws IOException {
    JsonNode rows = new JsonMapper().readTree(FILES.resolve("ids.json").toFile());
    assertThat(rows).hasSizeGreaterThan(20);
    return StreamSupport.stream(rows.spliterator(), false);
  }

  private static long[] ids(JsonNode ids) {
    return StreamSupport.stream(ids.spliterator(), false).mapToLong(JsonNode::longValue).toArray();
  }

  @ParameterizedTest
  @MethodSource("texts")
  void idsAreThoseOfTheLibraryInPython(JsonNode row) {
    assertThat(PLAIN.encode(row.get("text").textValue())).containsExactly(ids(row.get("ids")));
    assertThat(SPECIAL.encode(row.get("text").textValue()))
        .containsExactly(ids(row.get("special")));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void tokensSayTheTextAgain(JsonNode row) {
    String text = row.get("text").textValue();
    assertThat(PLAIN.decode(ids(row.get("ids")))).isEqualTo(text);

    var streamed = new StreamedText(PLAIN::decode, List.of());
    var said = new StringBuilder();
    for (long token : ids(row.get("ids"))) {
      said.append(streamed.append(token));
    }
    assertThat(said.append(streamed.end())).hasToString(text);
  }

  @Test
  void tokensThatThereAreNotSayNothing() {
    assertThat(PLAIN.decode(new long[] {39, 1_000_000})).isEqualTo("H");
  }

  @Test
  void aFileThatIsNoTokenizerIsRefusedWithItsName(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("tokenizer.json"), "{\"model\": 1}");
    assertThatThrownBy(() -> HuggingFaceTokenizer.read(file, false))
        .isInstanceOf(InferenceException.class)
        .hasMessageStartingWith(file + " is no tokenizer: ");
    Files.writeString(file, "[]");
    assertThatThrownBy(() -> HuggingFaceTokenizer.read(file, false))
        .hasMessage(file + " is no JSON object");
    assertThatThrownBy(() -> HuggingFaceTokenizer.read(folder.resolve("none.json"), false))
        .hasMessageStartingWith(folder.resolve("none.json") + " is not there");
  }

  /** Tokenizes, and prints the sockets that the process has open then. */
  static final class Probe {
    private Probe() {}

    public static void main(String[] args) throws IOException {
      PLAIN.encode("Hello");
      try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
        System.out.println(open.filter(Probe::isSocket).count());
      }
    }

    private static boolean isSocket(Path open) {
      try {
        return Files.readSymbolicLink(open).toString().startsWith("socket:");
      } catch (IOException _) {
        return false;
      }
    }
  }

  @Test
  void noSocketIsOpenedAndNothingIsWrittenToAHomeFolder(@TempDir Path home)
      throws IOException, InterruptedException {
    String paths =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(path -> Path.of(path).toAbsolutePath().toString())
            .reduce((one, other) -> one + File.pathSeparator + other)
            .orElseThrow();
    var command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-Duser.home=" + home,
            "-Dsluice.native.dir=" + System.getProperty("sluice.native.dir"),
            "-cp",
            paths,
            Probe.class.getName());
    command.environment().put("HOME", home.toString());
    Process child = command.redirectErrorStream(true).start();
    String printed = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(child.waitFor()).as(printed).isZero();
    assertThat(printed.lines().toList()).last().isEqualTo("0");
    assertThat(home).isEmptyDirectory();
  }

  /** It would unpack into a home folder, and ask the network for other builds. */
  @Test
  void theLoaderOfTheBindingIsNotShipped() throws IOException {
    Path classes = Path.of("target/classes/ai/djl/huggingface/tokenizers/jni");
    try (Stream<Path> files = Files.list(classes)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("TokenizersLibrary.class", "CharSpan.class");
    }
  }
}
