package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonNumber;
import dev.sluice.transport.Body;
import java.util.List;
import java.util.Map;

/**
 * Reads the body of a request for an answer in a conversation, in one pass: a completion whose
 * prompt is the conversation. One thread.
 */
final class ChatReader {
  private static final String MAX_TOKENS = "max_tokens";
  private static final String LOGPROBS = "logprobs";
  private static final String TOP_LOGPROBS = "top_logprobs";
  private static final long MOST_LOGPROBS = 20;

  private final GenerationReader reader;
  private final JsonCursor in;
  private final ChatConversation conversation;
  private boolean logProbs;
  private long topLogProbs = -1;
  private boolean withoutTools;

  private ChatReader(Body json) {
    reader = new GenerationReader(json, "chat completions");
    in = reader.in();
    conversation = new ChatConversation(reader);
  }

  /**
   * Reads a body.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter that is wrong
   */
  static CompletionRequest read(Body json) {
    var chat = new ChatReader(json);
    chat.reader.read(chat::member);
    Map<String, ParameterValue> parameters = chat.reader.parameters();
    parameters.put("chat", new ParameterValue.Flag(true));
    chat.addLogProbs(parameters);
    return chat.reader.request(List.of(chat.conversation.json(!chat.withoutTools)), false);
  }

  private void addLogProbs(Map<String, ParameterValue> parameters) {
    if (logProbs) {
      parameters.put(LOGPROBS, new ParameterValue.Whole(Math.max(0, topLogProbs), false));
    } else if (topLogProbs >= 0) {
      throw OpenAiError.parameter(TOP_LOGPROBS, "there", "it with logprobs: true only");
    }
  }

  private void member(String name) {
    switch (name) {
      case "tool_choice" -> toolChoice(name);
      case "parallel_tool_calls" -> {
        boolean _ = reader.flag(name);
      }
      case "modalities" -> modalities(name);
      case "max_completion_tokens" -> maxTokens(name);
      case LOGPROBS -> logProbs = reader.flag(name);
      case TOP_LOGPROBS -> topLogProbs = topLogProbs(name);
      default -> {
        if (!conversation.read(name)) {
          reader.common(name);
        }
      }
    }
  }

  private void maxTokens(String name) {
    if (in.peek() != Kind.NUMBER) {
      throw reader.wrong(name, "a whole number");
    }
    reader.parameter(MAX_TOKENS);
  }

  private long topLogProbs(String name) {
    int from = in.position();
    if (in.peek() == Kind.NUMBER) {
      JsonNumber number = in.number();
      if (number.isLong() && number.toLong() >= 0 && number.toLong() <= MOST_LOGPROBS) {
        return number.toLong();
      }
      in.seek(from);
    }
    throw reader.wrong(name, "a whole number from 0 to " + MOST_LOGPROBS);
  }

  private void toolChoice(String name) {
    int from = in.position();
    String choice = in.peek() == Kind.STRING ? in.string().toText() : "";
    withoutTools = choice.equals("none");
    if (!withoutTools && !choice.equals("auto")) {
      in.seek(from);
      throw reader.wrong(name, "\"auto\" or \"none\": no call can be forced");
    }
  }

  private void modalities(String name) {
    int from = in.position();
    boolean text = in.peek() == Kind.ARRAY;
    if (text) {
      in.beginArray();
      while (in.nextElement()) {
        text &= in.peek() == Kind.STRING;
        text &= in.peek() == Kind.STRING ? in.string().toText().equals("text") : skipped();
      }
    }
    if (!text) {
      in.seek(from);
      throw reader.wrong(name, "[\"text\"]");
    }
  }

  private boolean skipped() {
    in.skipValue();
    return false;
  }
}
