package dev.sluice.text;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.inference.tokens.ToolCallForm;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The tokens of a model, for requests that ask for them alone.
 *
 * @param codec of the model
 * @param maxLength most characters of a text
 * @param context most tokens that the model takes; 0 if that is not known
 */
public record BoundedTokenizer(TokenCodec codec, int maxLength, int context)
    implements ModelTokenizer {
  @Override
  public long[] encode(String text, boolean around) {
    if (text.length() > maxLength) {
      throw InferenceException.invalid(
          "the text has %d characters; the model takes %d".formatted(text.length(), maxLength));
    }
    return codec.encode(text, around);
  }

  @Override
  public long[] encodeChat(String conversation) {
    return codec.encodeChat(conversation, maxLength);
  }

  @Override
  public String decode(long[] tokens) {
    for (int i = 0; i < tokens.length; i++) {
      if (tokens[i] < 0 || tokens[i] >= codec.size()) {
        throw InferenceException.invalid(
            "token %d is %d; the model has tokens from 0 to %d"
                .formatted(i, tokens[i], codec.size() - 1));
      }
    }
    return codec.spell(tokens);
  }

  @Override
  public Optional<ToolCallForm> toolCalls() {
    return codec.toolCalls();
  }

  @Override
  public String name(long token) {
    return codec.name(token);
  }

  @Override
  public OptionalInt maxTokens() {
    return context == 0 ? OptionalInt.empty() : OptionalInt.of(context);
  }
}
