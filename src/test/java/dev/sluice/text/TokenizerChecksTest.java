package dev.sluice.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files whose library would end the process, which it must never get. */
class TokenizerChecksTest {
  private static void require(String json) throws JsonProcessingException {
    new TokenizerChecks(Path.of("t")).require(new JsonMapper().readTree(json));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "`{\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [{\"SpecialToken\":"
            + " {\"id\": \"[CLS]\"}}], \"special_tokens\": {}}}`, its post_processor names '[CLS]'"
            + " in single; wanted a token that special_tokens has",
        "`{\"post_processor\": {\"processors\": [{\"pair\": [{\"SpecialToken\": {\"id\":"
            + " \"a\"}}]}]}}`, its post_processor names 'a' in pair; wanted a token that"
            + " special_tokens has",
        "`{\"post_processor\": {\"single\": [{\"Sequence\": {\"id\": \"B\"}}]}}`, `its"
            + " post_processor has a second text in single; wanted the first one, A`",
        "`{\"decoder\": {\"type\": \"Sequence\", \"decoders\": [{\"type\": \"Strip\", \"start\": 1,"
            + " \"stop\": 2}]}}`, its decoder strips 2 characters of the end of a token; wanted 0:"
            + " shorter tokens have not so many",
        "`{\"decoder\": {\"type\": \"Strrip\", \"content\": \" \", \"start\": 2, \"stop\": 5}}`,"
            + " its decoder strips 5 characters of the end of a token; wanted 0: shorter tokens"
            + " have not so many",
        "`{\"pre_tokenizer\": {\"type\": \"fixed\", \"length\": 0}}`, its pre_tokenizer makes"
            + " pieces of length 0; wanted 1 or more",
        "`{\"pre_tokenizer\": {\"type\": \"FixedLength\", \"length\": 0}}`, its pre_tokenizer makes"
            + " pieces of length 0; wanted 1 or more",
        "`{\"model\": {\"continuing_subword_prefix\": \"##\", \"merges\": [\"a ##b\", [\"a\","
            + " \"b\"]]}}`, its model merges 'b'; wanted a token that begins with '##'"
      })
  void whatTheLibraryWouldEndTheProcessAtIsRefused(String json, String text) {
    assertThatThrownBy(() -> require(json))
        .isInstanceOfSatisfying(
            InferenceException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessage("t is no tokenizer: " + text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"post_processor\": null, \"decoder\": null, \"pre_tokenizer\": null, \"model\": null}",
        "{\"decoder\": {\"type\": \"Strip\", \"content\": \" \", \"start\": 1, \"stop\": 0}}",
        "{\"model\": {\"continuing_subword_prefix\": null, \"merges\": [\"a b\"]}}"
      })
  void whatElseAFileSaysIsForTheLibrary(String json) {
    assertThatNoException().isThrownBy(() -> require(json));
  }

  /** Found by fuzzing: the library took it, and ended the process at the first text. */
  @Test
  void templateOfATokenThatIsNotThereOpensNoTokenizer(@TempDir Path folder) throws IOException {
    ObjectNode json = JsonFile.object(Path.of("src/test/resources/text/tokenizer.json"));
    json.putObject("post_processor").put("type", "TemplateProcessing").putObject("special_tokens");
    json.withObject("/post_processor").putArray("pair");
    json.withObject("/post_processor")
        .putArray("single")
        .addObject()
        .putObject("SpecialToken")
        .put("id", "[CLS]")
        .put("type_id", 0);
    Path file = Files.writeString(folder.resolve("tokenizer.json"), json.toString());

    assertThatThrownBy(() -> HuggingFaceTokenizer.read(file, false))
        .isInstanceOf(InferenceException.class)
        .hasMessageEndingWith(
            "tokenizer.json is no tokenizer: its post_processor names '[CLS]' in single; wanted a"
                + " token that special_tokens has");
  }
}
