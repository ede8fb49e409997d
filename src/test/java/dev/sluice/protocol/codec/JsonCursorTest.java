package dev.sluice.protocol.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonCursorTest {
  private static JsonCursor cursor(String json) {
    return new JsonCursor(Body.of(json.getBytes(UTF_8)));
  }

  private static void readAll(String json) {
    JsonCursor cursor = cursor(json);
    cursor.skipValue();
    cursor.finish();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        " [ ] ",
        "0",
        "-0",
        "1.5e+3",
        "\"\"",
        "true",
        "false",
        "null",
        "NaN",
        "-Infinity",
        "Inf",
        "[1,2,[3,{\"a\":[]}]]",
        "{\"a\":{\"b\":null},\"c\":\"\\ud83d\\ude00\"}",
        "\uFEFF{}"
      })
  void whatIsJsonIsRead(String json) {
    readAll(json);
  }

  @ParameterizedTest(name = "{0} is refused at {2}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          ~~               | EMPTY                    | 0
          ~ ~              | EMPTY                    | 1
          instances = [1]  | INVALID_VALUE            | 0
          {'a':1}          | MISSING_NAME             | 1
          {"a" 1}          | MISSING_COLON            | 5
          {"a":1 "b":2}    | MISSING_COMMA_OR_BRACE   | 7
          {"a":1           | MISSING_COMMA_OR_BRACE   | 6
          {"a":1,}         | MISSING_NAME             | 7
          [1 2]            | MISSING_COMMA_OR_BRACKET | 3
          [1,]             | INVALID_VALUE            | 3
          [01]             | MISSING_COMMA_OR_BRACKET | 2
          [Nan]            | INVALID_VALUE            | 3
          [nul]            | INVALID_VALUE            | 4
          [1.]             | MISSING_FRACTION         | 3
          [1e]             | MISSING_EXPONENT         | 3
          [+1]             | INVALID_VALUE            | 1
          [.5]             | INVALID_VALUE            | 1
          [-]              | INVALID_VALUE            | 2
          [1e400]          | NUMBER_TOO_BIG           | 1
          ["a              | MISSING_QUOTE            | 3
          ["\\x"]          | BAD_ESCAPE               | 2
          ["\\u12g4"]      | BAD_HEX                  | 2
          ["\\ud800"]      | BAD_SURROGATE            | 2
          ["\\udc00"]      | BAD_SURROGATE            | 2
          {} x             | ROOT_NOT_SINGULAR        | 3
          """)
  void whatIsNotJsonIsRefusedWithThePlace(String json, JsonError error, int offset) {
    assertThatThrownBy(() -> readAll(json))
        .isInstanceOfSatisfying(
            JsonException.class,
            e -> {
              assertThat(e.error()).isEqualTo(error);
              assertThat(e.offset()).isEqualTo(offset);
            });
  }

  @Test
  void aControlCharacterInsideAStringIsRefused() {
    assertThatThrownBy(() -> readAll("[\"a\nb\"]")).hasMessage(JsonError.BAD_ESCAPE.text());
  }

  @Test
  void nestingIsReadDownToTheLimitAndRefusedBelowIt() {
    readAll("[".repeat(JsonCursor.MAX_DEPTH) + "]".repeat(JsonCursor.MAX_DEPTH));
    assertThatThrownBy(() -> readAll("[".repeat(250_000))).hasMessage(JsonError.TOO_DEEP.text());
  }

  @Test
  void membersAreFoundByNameEvenIfTheNameIsWrittenWithEscapes() {
    JsonCursor cursor = cursor("{\"skip\":[1,{\"x\":2}],\"d\\u0061ta\":7}");
    cursor.beginObject();
    List<Long> found = new ArrayList<>();
    while (cursor.nextKey()) {
      if (cursor.keyIs("data")) {
        found.add(cursor.number().toLong());
      } else {
        cursor.skipValue();
      }
    }
    assertThat(found).containsExactly(7L);
  }

  @Test
  void aValueThatWasSkippedCanBeComeBackTo() {
    JsonCursor cursor = cursor("{\"data\":[1,2],\"type\":\"x\"}");
    cursor.beginObject();
    cursor.nextKey();
    int data = cursor.position();
    cursor.skipValue();
    cursor.nextKey();
    cursor.skipValue();
    assertThat(cursor.nextKey()).isFalse();
    cursor.seek(data);
    cursor.beginArray();
    assertThat(cursor.nextElement()).isTrue();
    assertThat(cursor.number().toLong()).isEqualTo(1);
  }

  @Test
  void escapesBecomeTheBytesTheyStandFor() {
    assertThat(cursor("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\ude00z\"").string().toText())
        .isEqualTo("a\"\\/\b\f\n\r\tä😀z");
  }

  @Test
  void bytesThatAreNotUtf8StayAsTheyAre() {
    byte[] json = {'"', (byte) 0xFF, 'x', '"'};
    JsonString string = new JsonCursor(Body.of(json)).string();
    assertThat(string.length()).isEqualTo(2);
    assertThat(string.bytes()[string.offset()]).isEqualTo((byte) 0xFF);
  }
}
