package dev.sluice.protocol.openai.tokens;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.transport.Body;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * Bodies that ask for tokens or for their text, by the digit in front: 0 tokenize, 1 detokenize.
 * The answer is JSON, as another parser reads it.
 */
final class TokenBodyFuzz implements FuzzTarget {
  private static final JsonMapper JSON = new JsonMapper();

  @Override
  public void accept(byte[] input) throws IOException {
    var bytes = new InputBytes(input);
    boolean texts = bytes.below(2) == 0;
    byte[] body = bytes.rest();
    Buffer answer = Rejection.request(() -> call(texts, body).answer().apply(new Characters()));
    if (answer != null) {
      requireAnswer(texts, JSON.readTree(answer.getBytes()));
    }
  }

  private static TokenCall call(boolean texts, byte[] body) {
    return texts ? TokenizeReader.read(Body.of(body)) : DetokenizeReader.read(Body.of(body));
  }

  private static void requireAnswer(boolean texts, JsonNode answer) {
    boolean whole =
        texts
            ? answer.path("tokens").size() == answer.path("count").asInt(-1)
            : answer.path("prompt").isTextual();
    if (!whole) {
      throw new AssertionError("an answer that says something else: " + answer);
    }
  }

  /** A tokenizer whose tokens are characters, and are spelled as numbers. */
  private static final class Characters implements ModelTokenizer {
    @Override
    public long[] encode(String text, boolean around) {
      return text.chars().asLongStream().toArray();
    }

    @Override
    public long[] encodeChat(String conversation) {
      return encode(conversation, false);
    }

    @Override
    public String decode(long[] tokens) {
      return Arrays.stream(tokens).mapToObj(Long::toString).collect(Collectors.joining(" "));
    }

    @Override
    public String name(long token) {
      return Character.toString((char) token);
    }

    @Override
    public OptionalInt maxTokens() {
      return OptionalInt.empty();
    }
  }
}
