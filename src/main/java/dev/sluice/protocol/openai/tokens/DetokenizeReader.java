package dev.sluice.protocol.openai.tokens;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonNumber;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.transport.Body;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads the body of a call for the text of tokens. One thread. */
final class DetokenizeReader {
  private static final String TOKENS = "tokens";
  private static final String WANTED = "a list of whole numbers from 0";
  private static final int MOST = 1 << 20;

  private final GenerationReader reader;
  private final JsonCursor in;
  private long @Nullable [] tokens;

  private DetokenizeReader(Body json) {
    reader = new GenerationReader(json, "detokenize");
    in = reader.in();
  }

  /**
   * Reads a body.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter that is wrong
   */
  static TokenCall read(Body json) {
    var body = new DetokenizeReader(json);
    body.reader.read(body::member);
    String model = body.reader.model();
    long[] given = body.tokens;
    if (given == null) {
      throw OpenAiError.parameter(TOKENS, "missing", WANTED);
    }
    return new TokenCall(
        model,
        tokenizer -> {
          String text = tokenizer.decode(given);
          return new JsonWriter(16 + text.length())
              .raw("{\"prompt\":")
              .string(text)
              .raw('}')
              .toBuffer();
        });
  }

  private void member(String name) {
    switch (name) {
      case "model" -> reader.common(name);
      case TOKENS -> tokens = numbers();
      default -> throw reader.unknown(name);
    }
  }

  private long[] numbers() {
    if (in.peek() != Kind.ARRAY) {
      throw reader.wrong(TOKENS, WANTED);
    }
    var numbers = new long[16];
    int count = 0;
    in.beginArray();
    while (in.nextElement()) {
      if (count == MOST) {
        throw OpenAiError.parameter(TOKENS, "longer than " + MOST, "fewer tokens");
      }
      if (count == numbers.length) {
        numbers = Arrays.copyOf(numbers, 2 * count);
      }
      numbers[count] = number("%s[%d]".formatted(TOKENS, count));
      count++;
    }
    return Arrays.copyOf(numbers, count);
  }

  private long number(String name) {
    int from = in.position();
    if (in.peek() == Kind.NUMBER) {
      JsonNumber number = in.number();
      if (number.isLong() && number.toLong() >= 0) {
        return number.toLong();
      }
      in.seek(from);
    }
    throw reader.wrong(name, "a whole number from 0 to " + Long.MAX_VALUE);
  }
}
