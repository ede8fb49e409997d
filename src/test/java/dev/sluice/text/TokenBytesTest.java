package dev.sluice.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBytesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"src/test/resources/text/tokenizer.json", "src/sample/models/chat/tokenizer.json"})
  void theBytesOfTokensAreThoseOfTheTextTheyWereCutFrom(String file) {
    var tokenizer = HuggingFaceTokenizer.read(Path.of(file), false);
    TokenBytes all = tokenizer.bytes().orElseThrow();
    String text = "Hello, 世界 🙂!\tThe  end of \"it\", naïve \u00AD\u0000 \u007F\n";
    var said = new ByteArrayOutputStream();
    for (long token : tokenizer.encode(text)) {
      if (!all.isSpecial((int) token)) {
        said.writeBytes(all.of((int) token));
      }
    }
    assertThat(said.toString(StandardCharsets.UTF_8)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"src/test/resources/text/tokenizer.json", "src/sample/models/chat/tokenizer.json"})
  void eachTokenOfWholeCharactersIsShownAsTheLibraryDecodesIt(String file) {
    var tokenizer = HuggingFaceTokenizer.read(Path.of(file), false);
    TokenBytes all = tokenizer.bytes().orElseThrow();
    int whole = 0;
    for (int token = 0; token < all.size(); token++) {
      String decoded = tokenizer.decode(new long[] {token});
      if (all.isSpecial(token)) {
        assertThat(decoded).isEmpty();
      } else if (!decoded.contains("\uFFFD")) {
        assertThat(all.shown(token)).isEqualTo(decoded);
        whole++;
      } else {
        assertThat(all.shown(token)).matches("bytes:(\\\\x[0-9a-f]{2})+");
      }
    }
    assertThat(whole).isGreaterThan(all.size() / 2);
  }

  private static TokenBytes read(String json) throws IOException {
    JsonNode file = new JsonMapper().readTree(json);
    return TokenizerVocabulary.bytes(file).orElseThrow();
  }

  @Test
  void piecesWithASpaceSignAndBytesAreRead() throws IOException {
    TokenBytes pieces =
        read(
            """
            {"model": {"vocab": {"<0xE4>": 2, "▁The": 1, "<unk>": 0, "<0xZZ>": 3}},
             "added_tokens": [{"id": 0, "content": "<unk>", "special": true}],
             "decoder": {"type": "Sequence", "decoders": [
               {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
               {"type": "ByteFallback"}, {"type": "Fuse"},
               {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}}\
            """);
    assertThat(List.of(pieces.shown(0), pieces.shown(1), pieces.shown(2), pieces.shown(3)))
        .containsExactly("<unk>", " The", "bytes:\\xe4", "<0xZZ>");
    assertThat(pieces.isSpecial(0)).isTrue();
    assertThat(pieces.shown(4)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"model\": {\"vocab\": {\"a\": 0}}, \"decoder\": {\"type\": \"WordPiece\"}}",
        "{\"model\": {\"vocab\": {\"a\": 0}}, \"decoder\": null}",
        "{\"model\": {\"vocab\": {\"a\": 0}}, \"decoder\": {\"type\": \"Sequence\", \"decoders\":"
            + " [{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"x\"}, \"content\": \" \"}]}}",
        "{\"model\": {\"vocab\": {\"a\": \"x\"}}, \"decoder\": {\"type\": \"ByteLevel\"}}",
        "{\"model\": {\"vocab\": {\"a\": 2000000000}}, \"decoder\": {\"type\": \"ByteLevel\"}}",
        "{\"decoder\": {\"type\": \"ByteLevel\"}}"
      })
  void otherFilesHaveNoBytes(String json) throws IOException {
    assertThat(TokenizerVocabulary.bytes(new JsonMapper().readTree(json))).isEmpty();
  }
}
