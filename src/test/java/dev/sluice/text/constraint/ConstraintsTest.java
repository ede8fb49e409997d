package dev.sluice.text.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.Json;
import dev.sluice.text.HuggingFaceTokenizer;
import dev.sluice.text.TokenBytes;
import dev.sluice.text.constraint.Constraints.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConstraintsTest {
  private static final Path TOKENIZER = Path.of("src/sample/models/chat/tokenizer.json");

  private static final TokenBytes BYTES =
      HuggingFaceTokenizer.read(TOKENIZER, false).bytes().orElseThrow();

  /** Has no token for some bytes, as vocabularies of real models: those of no text they saw. */
  private static final TokenBytes MOST_BYTES = without("Ą", "é", "ñ");

  /** Has no token for most bytes, so that most characters cannot be said. */
  private static final TokenBytes LETTERS =
      TokenBytes.of(
          Stream.concat(
                  IntStream.rangeClosed(' ', '~').mapToObj(Character::toString),
                  Stream.of("é", "世", "ab", "true", "\": "))
              .toList());

  /** Tokens of bytes, of which those with these names are others. */
  private static TokenBytes without(String... names) {
    try {
      String file = Files.readString(TOKENIZER);
      for (String name : names) {
        assertThat(file).contains("\"" + name + "\":");
        file = file.replace("\"" + name + "\":", "\"" + name.repeat(2) + "\":");
      }
      Path changed = Files.createTempFile("tokenizer", ".json");
      try {
        Files.writeString(changed, file);
        return HuggingFaceTokenizer.read(changed, false).bytes().orElseThrow();
      } finally {
        Files.delete(changed);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Walks to an end at random, preferring what closes; null if it is not reached soon. */
  private static @Nullable String walk(
      Constraints constraints, TokenBytes tokens, Kind kind, String constraint, Random random) {
    var said = new ByteArrayOutputStream();
    try (ConstrainedText text = constraints.begin(kind, constraint)) {
      for (int i = 0; i < 400; i++) {
        if (text.isComplete() || (text.mayEnd() && random.nextInt(4) == 0)) {
          return strict(said.toByteArray());
        }
        int token = pick(Objects.requireNonNull(text.following()), tokens, random);
        said.writeBytes(tokens.of(token));
        assertThat(text.append(token)).isTrue();
      }
    }
    return null;
  }

  private static String strict(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new AssertionError("no UTF-8: " + HexFormat.of().formatHex(bytes), e);
    }
  }

  private static int pick(BitSet following, TokenBytes tokens, Random random) {
    int[] all = following.stream().toArray();
    assertThat(all).isNotEmpty();
    int[] closing =
        following.stream()
            .filter(token -> tokens.length(token) == 1)
            .filter(token -> "\"]},.".indexOf(tokens.of(token)[0]) >= 0)
            .toArray();
    return closing.length > 0 && random.nextInt(3) == 0
        ? closing[random.nextInt(closing.length)]
        : all[random.nextInt(all.length)];
  }

  private static List<String> walks(Kind kind, String constraint) {
    List<String> texts = new ArrayList<>();
    for (TokenBytes tokens : List.of(BYTES, MOST_BYTES, LETTERS)) {
      try (var constraints = new Constraints(Optional.of(tokens), Optional.empty())) {
        for (int seed = 0; seed < 30; seed++) {
          String text = walk(constraints, tokens, kind, constraint, new Random(seed));
          if (text != null) {
            texts.add(text);
          }
        }
      }
    }
    assertThat(texts).hasSizeGreaterThan(45);
    return texts;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Paris|London|Rome",
        "[0-9]{3}-[0-9]{4}",
        "\\d{1,3}(\\.\\d{1,3}){3}",
        "(?:ab|a|b)*c?",
        "[^a-z]{0,5}",
        ".{1,7}",
        "\\w+@\\w+\\.(com|org)",
        "(yes|no)(, (yes|no))*",
        "[é世a-c]{2,4}",
        "x*",
        "-?(0|[1-9][0-9]*)(\\.[0-9]+)?",
        "\\s?[\\w-]+\\??"
      })
  void whateverTokensAreTakenTheTextMatches(String regex) {
    Pattern pattern = Pattern.compile(regex);
    assertThat(walks(Kind.REGEX, regex)).allSatisfy(text -> assertThat(text).matches(pattern));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\", \"maxLength\":"
            + " 8}, \"age\": {\"type\": \"integer\"}, \"ok\": {\"type\": \"boolean\"}},"
            + " \"required\": [\"age\"], \"additionalProperties\": false}",
        "{\"type\": \"array\", \"items\": {\"type\": \"number\"}, \"minItems\": 2, \"maxItems\":"
            + " 4}",
        "{\"type\": \"array\", \"items\": {\"enum\": [\"a\\\"b\", 7, null, {\"x\": [1]}]}}",
        "{\"type\": \"string\", \"pattern\": \"^[A-Z]{2}\", \"minLength\": 3, \"maxLength\": 5}",
        "{\"anyOf\": [{\"type\": \"null\"}, {\"const\": \"é\"}, {\"type\": [\"boolean\","
            + " \"integer\"]}]}",
        "{\"$defs\": {\"p\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\":"
            + " \"integer\"}}, \"required\": [\"x\"]}}, \"type\": \"object\", \"properties\":"
            + " {\"from\": {\"$ref\": \"#/$defs/p\"}, \"to\": {\"$ref\": \"#/$defs/p\"}},"
            + " \"required\": [\"from\", \"to\"]}",
        "{\"$defs\": {\"a b\": {\"type\": \"integer\"}, \"é/~\": {\"type\": \"boolean\"}},"
            + " \"anyOf\": [{\"$ref\": \"#/$defs/a%20b\"}, {\"$ref\":"
            + " \"#/%24defs/%C3%A9~1~0\"}]}",
        "{\"enum\": [5.0, 1e300, -0.5], \"type\": \"number\"}",
        "{\"enum\": [5.0, 2.5], \"type\": \"integer\"}",
        "{\"type\": \"array\", \"minItems\": 1.0, \"maxItems\": 2.0, \"items\": {\"type\":"
            + " \"boolean\"}}",
        "{\"type\": \"object\"}",
        "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"integer\"}}",
        "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"null\"}, \"b\": {\"type\":"
            + " \"null\"}, \"c\": {\"type\": \"null\"}}}"
      })
  void whateverTokensAreTakenTheTextIsValid(String schema) {
    JsonSchema validator = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(schema);
    assertThat(walks(Kind.JSON_SCHEMA, schema))
        .allSatisfy(text -> assertThat(validator.validate(Json.read(text))).as(text).isEmpty());
  }

  private static final String WEATHER =
      "{\"name\": \"weather\", \"parameters\": {\"$defs\": {\"city\": {\"enum\": [\"Rome\","
          + " \"Oslo\"]}}, \"properties\": {\"city\": {\"$ref\": \"#/$defs/city\"}, \"days\":"
          + " {\"type\": \"integer\"}}, \"required\": [\"city\"]}}";

  private static String tools(String text, String... functions) {
    return "{\"text\": \"%s\", \"functions\": [%s]}".formatted(text, String.join(", ", functions));
  }

  @ParameterizedTest
  @ValueSource(strings = {"calls", "call"})
  void whateverTokensAreTakenTheTextIsAListOfCallsWithTheArgumentsOfTheirFunctions(String text) {
    assertThat(walks(Kind.TOOLS, tools(text, WEATHER, "{\"name\": \"now\"}")))
        .allSatisfy(said -> {
          JsonNode calls = Json.read(said);
          assertThat(calls).isNotEmpty().hasSizeLessThan(text.equals("call") ? 2 : 50);
          calls.forEach(ConstraintsTest::requireCall);
        });
  }

  private static void requireCall(JsonNode call) {
    assertThat(call.fieldNames()).toIterable().containsExactly("name", "arguments");
    JsonNode arguments = call.get("arguments");
    if (call.get("name").textValue().equals("now")) {
      assertThat(arguments.isObject() && arguments.isEmpty()).isTrue();
    } else {
      assertThat(call.get("name").textValue()).isEqualTo("weather");
      assertThat(arguments.get("city").textValue()).isIn("Rome", "Oslo");
    }
  }

  @Test
  void theArgumentsOfOneFunctionAreATextAsWell() {
    assertThat(walks(Kind.TOOLS, tools("arguments", WEATHER)))
        .allSatisfy(said -> assertThat(said).matches("\\{\"city\": ?\"(Rome|Oslo)\".*\\}"));
    assertThat(walks(Kind.TOOLS, tools("arguments", "{\"name\": \"now\"}")))
        .allSatisfy(said -> assertThat(said).isEqualTo("{}"));
    assertThat(walks(Kind.TOOLS, tools("arguments", "{\"name\": \"any\", \"parameters\": {}}")))
        .allSatisfy(said -> assertThat(Json.read(said).isObject()).isTrue());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          {"text": "calls", "functions": [{"name": "a"}, {"name": "b", "parameters": {"type": "object", "properties": {"x": {"type": "integer", "minimum": 1}}}}]} ~ has function "b", whose schema has keyword "minimum" at #/properties/x, which is not supported there
          {"text": "arguments", "functions": [{"name": "a", "parameters": 7}]} ~ has function "a", whose schema has no schema, an object, at #
          {"text": "calls", "functions": [{"parameters": {}}]} ~ has a function without a name; wanted
          {"text": "calls", "functions": []} ~ has no functions; wanted
          {"functions": [{"name": "a"}]} ~ has no text that is known; wanted
          [] ~ has no functions; wanted
          {"text" ~ is no JSON
          """)
  void toolsThatAreWrongOrNotSupportedAreRefusedNamingTheFunction(String tools, String text) {
    assertThat(refused(Kind.TOOLS, tools)).startsWith("parameter \"tools\" " + text);
  }

  private static String refused(Kind kind, String constraint) {
    try (var constraints = new Constraints(Optional.of(BYTES), Optional.empty());
        ConstrainedText _ = constraints.begin(kind, constraint)) {
      throw new AssertionError(constraint + " is taken");
    } catch (InferenceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      return String.valueOf(e.getMessage());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          (a|a)*{1000} ~ parameter "regex" has a repetition of a repetition at character 5
          ((a|a)*){9000} ~ parameter "regex" is too complex
          (a?b?c?d?){2500} ~ parameter "regex" is too
          ((a{0,99}){0,99}){0,99} ~ parameter "regex" is too large
          (.*a.*){400} ~ parameter "regex" is too
          (a|b)*a(a|b){30} ~ parameter "regex" is too complex: too many ways to read one text
          (?=a)b ~ parameter "regex" has a group (?=, which is not supported at character 1
          (a)\\1 ~ parameter "regex" has an escape \\1, which is not supported
          [z-a] ~ parameter "regex" has a range that ends before it begins
          (a ~ parameter "regex" has a group without its ')'
          a) ~ parameter "regex" has an unmatched ')'
          a{99999} ~ parameter "regex" has more than 10000 repetitions
          *a ~ parameter "regex" has a '*' with nothing to repeat
          [^\\s\\S] ~ parameter "regex" matches no text that the model's tokens can say
          """)
  void aRegexThatIsWrongOrHostileIsRefused(String regex, String text) {
    assertThat(refused(Kind.REGEX, regex)).startsWith(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          {"type": "strin"} ~ has type "strin" at #; wanted one of object, array
          {"type": null} ~ has type null at #; wanted one of object, array
          {"type": []} ~ has type [] at #; wanted one of object, array
          {"type": ["string", 5]} ~ has type 5 at #; wanted one of object, array
          {"type": "string", "format": "date"} ~ has keyword "format" at #, which is not supported there
          {"type": "integer", "minimum": 3} ~ has keyword "minimum" at #, which is not supported there
          {"type": "object", "properties": {"a": {"not": {}}}} ~ has keyword "not" at #/properties/a, which
          {"type": "object", "properties": {}, "required": ["a"]} ~ requires "a" at #, which is none of its properties
          {"$ref": "#"} ~ has "$ref" to "#" within itself, which is not supported
          {"$ref": "#/$defs/a"} ~ has "$ref" to "#/$defs/a" at #, where nothing is
          {"$ref": "#/%24defs/a%"} ~ has "$ref" to "#/%24defs/a%" at #; wanted a place in the schema itself
          {"$ref": "#a"} ~ has "$ref" to "#a" at #; wanted a place in the schema itself
          {"$defs": {"a": {"$ref": "#/$defs/%61"}}, "$ref": "#/$defs/a"} ~ has "$ref" to "#/$defs/%61" within itself, which is not supported
          {"$ref": "http://other"} ~ has "$ref" to "http://other" at #; wanted a place in the schema itself
          {"type": "string", "pattern": "(?=a)"} ~ has a pattern at # that has a group (?=
          {"type": "string", "pattern": "^\\"$"} ~ matches no text
          {"type": "string", "minLength": -1} ~ has minLength -1 at #; wanted a whole number from 0
          {"type": "string", "minLength": 2.7} ~ has minLength 2.7 at #; wanted a whole number from 0
          {"type": "array", "maxItems": 1e400} ~ has maxItems 1E+400 at #; wanted a whole number from 0
          {"type": "string", "minLength": 2.00000000000000000001} ~ has minLength 2.00000000000000000001 at #; wanted a whole number from 0
          {"enum": [1e-400], "type": "integer"} ~ allows no value at #
          {"type": "object", "properties": {}, "additionalProperties": {"type": "strin"}} ~ has type "strin" at #/additionalProperties
          {"type": "object", "properties": {}, "additionalProperties": 7} ~ has no schema, an object, at #/additionalProperties
          {"type": "string", "maxLength": 2000000000} ~ is too large
          {"enum": []} ~ allows no value at #
          {"enum": [1], "type": "string"} ~ allows no value at #
          {"type": "object", "required": "a"} ~ has required at # that is no list
          {"type": "object", "properties": [1]} ~ has properties at # that are no object
          {"type": "object", "additionalProperties": {"not": {}}} ~ has keyword "not" at #/additionalProperties
          {"type": "string", "pattern": 5} ~ has pattern at # that is no text
          {"enum": 5} ~ has enum at # that is no list
          {"oneOf": []} ~ has keyword "oneOf" at #, which is not supported there
          {"allOf": []} ~ has keyword "allOf" at #, which is not supported there
          {"type": "array", "uniqueItems": true} ~ has keyword "uniqueItems" at #, which is not supported there
          {"anyOf": []} ~ has no list of schemas at #/anyOf
          [1] ~ has no schema, an object, at #
          {"type": ~ is no JSON
          """)
  void aSchemaThatIsWrongOrNotSupportedIsRefusedNamingThePlace(String schema, String text) {
    assertThat(refused(Kind.JSON_SCHEMA, schema)).startsWith("parameter \"json_schema\" " + text);
  }

  @Test
  void manyMembersMayBeLeftOut() {
    String members =
        IntStream.range(0, 60)
            .mapToObj(i -> "\"p%d\": {\"type\": \"boolean\"}".formatted(i))
            .collect(Collectors.joining(", "));
    String schema = "{\"type\": \"object\", \"properties\": {" + members + "}}";
    JsonSchema validator = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(schema);
    assertThat(walks(Kind.JSON_SCHEMA, schema))
        .allSatisfy(text -> assertThat(validator.validate(Json.read(text))).as(text).isEmpty());
  }

  /** Each level refers to the next one many times, and none is in the text. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\": \"array\", \"maxItems\": 0, \"items\": %s}",
        "{\"anyOf\": [%s, {\"type\": \"string\", \"pattern\": \"[^\\\\s\\\\S]\"}]}"
      })
  void aSchemaWhoseReferencesMultiplyIsRefused(String level) {
    String levels =
        IntStream.range(0, 9)
            .mapToObj(i -> {
              String next = "{\"$ref\": \"#/$defs/l%d\"}".formatted(i + 1);
              String many = String.join(", ", Collections.nCopies(40, next));
              return "\"l%d\": ".formatted(i) + level.formatted("{\"anyOf\": [" + many + "]}");
            })
            .collect(Collectors.joining(", "));
    String schema =
        "{\"$ref\": \"#/$defs/l0\", \"$defs\": {"
            + levels
            + ", \"l9\": {\"type\": \"string\", \"pattern\": \"^[^\\\\s\\\\S]$\"}}}";
    assertThat(refused(Kind.JSON_SCHEMA, schema)).contains("is too large");
  }

  @Test
  void aSchemaOfSchemasWithinEachOtherIsRefused() {
    String deep = "{\"type\": \"array\", \"items\": ".repeat(200) + "true" + "}".repeat(200);
    assertThat(refused(Kind.JSON_SCHEMA, deep)).contains("is deeper than 32 schemas at #/items");
  }

  @Test
  void charactersThatNoTokenSaysAreLeftOutAndPartsOfThemAreNot() {
    try (var letters = new Constraints(Optional.of(LETTERS), Optional.empty());
        ConstrainedText text = letters.begin(Kind.REGEX, "[é界世]x")) {
      assertThat(text.following()).hasToString("{95, 96}");
      assertThatThrownBy(() -> letters.begin(Kind.REGEX, "界"))
          .hasMessage("parameter \"regex\" matches no text that the model's tokens can say");
    }
    try (var bytes = new Constraints(Optional.of(BYTES), Optional.empty());
        ConstrainedText text = bytes.begin(Kind.REGEX, "界")) {
      assertThat(text.following()).isNotEqualTo(new BitSet());
    }
  }

  @Test
  void charactersAreSaidByteByByteThoughOtherBytesAreNoTokens() {
    try (var constraints = new Constraints(Optional.of(MOST_BYTES), Optional.empty())) {
      for (String text : List.of("😀", "你好", "ก", "مرحبا", "\uD7FF", "\uE000", "𐀀")) {
        assertThat(constraints.begin(Kind.REGEX, text))
            .as(text)
            .satisfies(constraint -> {
              assertThat(constraint.following()).isNotEqualTo(new BitSet());
              constraint.close();
            });
      }
      // Begin with 0x04, 0xE9 and 0xF1.
      for (String text : List.of("\u0004", "退", "\uD8C0\uDC00")) {
        assertThatThrownBy(() -> constraints.begin(Kind.REGEX, text))
            .hasMessage("parameter \"regex\" matches no text that the model's tokens can say");
      }
    }
  }

  @Test
  void aTextEndsOnlyWhereItMay() {
    try (var constraints = new Constraints(Optional.of(LETTERS), Optional.empty());
        ConstrainedText text = constraints.begin(Kind.REGEX, "a(bc)?")) {
      assertThat(text.mayEnd()).isFalse();
      assertThat(text.append('a' - ' ')).isTrue();
      assertThat(text.mayEnd()).isTrue();
      assertThat(text.isComplete()).isFalse();
      assertThat(text.append('c' - ' ')).isFalse();
      assertThat(text.append('b' - ' ')).isTrue();
      assertThat(text.mayEnd()).isFalse();
      assertThat(text.append('c' - ' ')).isTrue();
      assertThat(text.isComplete()).isTrue();
    }
  }

  @Test
  void constraintsInUseAreBoundedAndCountAsTensorsUntilTheyAreClosed() {
    long before = TensorMemory.openBytes();
    List<ConstrainedText> used = new ArrayList<>();
    try (var constraints = new Constraints(Optional.of(BYTES), Optional.empty())) {
      for (int i = 0; used.size() < 200; i++) {
        try {
          used.add(constraints.begin(Kind.REGEX, i + "[é-世]{2000}"));
        } catch (InferenceException e) {
          assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
          assertThat(e.getMessage()).startsWith("parameter \"regex\": constraints in use take");
          break;
        }
      }
      assertThat(used).hasSizeBetween(2, 200);
      assertThat(TensorMemory.openBytes() - before).isGreaterThan(1 << 20);
      used.removeFirst().close();
      used.removeFirst().close();
      used.add(constraints.begin(Kind.REGEX, "other[é-世]{2000}"));
      long some = TensorMemory.openBytes();
      used.add(constraints.begin(Kind.REGEX, "other[é-世]{2000}"));
      assertThat(TensorMemory.openBytes()).as("the same one again").isEqualTo(some);
    }
    // The model is unloaded, and its texts go on.
    assertThat(used.getFirst().following()).isNotEqualTo(new BitSet());
    used.forEach(ConstrainedText::close);
    used.forEach(ConstrainedText::close);
    assertThat(TensorMemory.openBytes()).isEqualTo(before);
  }

  @Test
  void textsThatBeginTogetherShareOneConstraint() throws Exception {
    long before = TensorMemory.openBlocks();
    try (var constraints = new Constraints(Optional.of(BYTES), Optional.empty());
        var threads = Executors.newFixedThreadPool(16)) {
      List<Callable<ConstrainedText>> beginnings =
          Collections.nCopies(64, () -> constraints.begin(Kind.REGEX, "[é-世]{300}x"));
      for (Future<ConstrainedText> begun : threads.invokeAll(beginnings)) {
        assertThat(begun.get().mayEnd()).isFalse();
        assertThat(TensorMemory.openBlocks()).isEqualTo(before + 2);
        begun.get().close();
      }
    }
    assertThat(TensorMemory.openBlocks()).isEqualTo(before);
  }

  @Test
  void withoutKnownBytesThereAreNone() {
    try (var none = new Constraints(Optional.empty(), Optional.empty())) {
      assertThatThrownBy(() -> none.begin(Kind.REGEX, "a"))
          .hasMessageStartingWith("parameter \"regex\" is not supported: the decoder");
    }
  }
}
