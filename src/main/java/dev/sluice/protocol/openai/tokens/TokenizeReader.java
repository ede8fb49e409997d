package dev.sluice.protocol.openai.tokens;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.ChatConversation;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.transport.Body;
import io.vertx.core.buffer.Buffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the body of a call for the tokens of a text, or of a conversation. One thread. */
final class TokenizeReader {
  private static final String AROUND = "add_special_tokens";
  private static final String PROMPT = "prompt";

  private final GenerationReader reader;
  private final ChatConversation conversation;
  private @Nullable String prompt;
  private @Nullable Boolean around;
  private @Nullable Boolean begun;
  private boolean named;

  private TokenizeReader(Body json) {
    reader = new GenerationReader(json, "tokenize");
    conversation = new ChatConversation(reader);
  }

  /**
   * Reads a body.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter that is wrong
   */
  static TokenCall read(Body json) {
    var body = new TokenizeReader(json);
    body.reader.read(body::member);
    return new TokenCall(body.reader.model(), body.answer());
  }

  private void member(String name) {
    switch (name) {
      case "model" -> reader.common(name);
      case PROMPT -> prompt = reader.text(name);
      case AROUND -> around = reader.flag(name);
      case "return_token_strs" -> named = reader.flag(name);
      case "add_generation_prompt" -> begun = reader.flag(name);
      default -> {
        if (!conversation.read(name)) {
          throw reader.unknown(name);
        }
      }
    }
  }

  private Function<ModelTokenizer, Buffer> answer() {
    if (conversation.isThere()) {
      String chat = chat();
      return tokenizer -> answer(tokenizer, tokenizer.encodeChat(chat));
    }
    String text = text();
    boolean special = around == null || around;
    return tokenizer -> answer(tokenizer, tokenizer.encode(text, special));
  }

  private String chat() {
    if (prompt != null) {
      throw OpenAiError.parameter(PROMPT, "there beside messages", "one of them");
    }
    if (around != null && around) {
      throw OpenAiError.parameter(AROUND, "true", "false: the chat template says which there are");
    }
    return conversation.json(true, begun == null ? "" : "\"add_generation_prompt\":" + begun + ",");
  }

  private String text() {
    if (prompt == null) {
      throw OpenAiError.parameter(PROMPT, "missing", "a text, or messages");
    }
    if (begun != null) {
      throw OpenAiError.parameter("add_generation_prompt", "there", "it beside messages only");
    }
    return prompt;
  }

  private Buffer answer(ModelTokenizer tokenizer, long[] tokens) {
    var out = new JsonWriter(64 + 6 * tokens.length);
    out.raw("{\"count\":").number(tokens.length).raw(",\"max_model_len\":");
    tokenizer.maxTokens().ifPresentOrElse(out::number, () -> out.raw("null"));
    out.raw(",\"tokens\":[");
    for (int i = 0; i < tokens.length; i++) {
      out.raw(i == 0 ? "" : ",").number(tokens[i]);
    }
    out.raw("],\"token_strs\":");
    if (named) {
      names(tokenizer, tokens, out);
    } else {
      out.raw("null");
    }
    return out.raw('}').toBuffer();
  }

  private static void names(ModelTokenizer tokenizer, long[] tokens, JsonWriter out) {
    out.raw('[');
    for (int i = 0; i < tokens.length; i++) {
      out.raw(i == 0 ? "" : ",").string(tokenizer.name(tokens[i]));
    }
    out.raw(']');
  }
}
