package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.openai.generation.ChatConversation;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.generation.GeneratorOutputs;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.protocol.openai.tools.ToolChoice;
import dev.sluice.protocol.openai.tools.Tools;
import dev.sluice.transport.Body;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a request for an answer in a conversation, in one pass: a completion whose
 * prompt is the conversation. One thread.
 */
final class ChatReader {
  private static final String MAX_TOKENS = "max_tokens";
  private static final String LOGPROBS = "logprobs";
  private static final String TOP_LOGPROBS = "top_logprobs";
  private static final String MAX_COMPLETION_TOKENS = "max_completion_tokens";
  private static final int MOST_LOGPROBS = 20;

  private final GenerationReader reader;
  private final JsonCursor in;
  private final ChatConversation conversation;
  private boolean logProbs;
  private int topLogProbs = -1;
  private int maxCompletionTokens;
  private ToolChoice toolChoice = new ToolChoice.Auto();
  private boolean parallel = true;

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
    chat.reader.name(GeneratorOutputs.TEXT, "messages");
    chat.reader.read(chat::member);
    Map<String, ParameterValue> parameters = chat.reader.parameters();
    parameters.put("chat", new ParameterValue.Flag(true));
    chat.addLogProbs(parameters);
    chat.addMaxTokens(parameters);
    var tools = new Tools(chat.conversation.functions(), chat.toolChoice, chat.parallel);
    tools.addTo(parameters, "response_format");
    chat.reader.name(Tools.STRICT_TOOLS, "tools");
    return CompletionRequest.of(
        chat.reader, List.of(chat.conversation.json(tools.areShown())), false, tools);
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
      case "parallel_tool_calls" -> parallel = reader.flag(name);
      case "modalities" -> modalities(name);
      case MAX_COMPLETION_TOKENS -> maxCompletionTokens = reader.whole(name, 1, Integer.MAX_VALUE);
      case LOGPROBS -> logProbs = reader.flag(name);
      case TOP_LOGPROBS -> topLogProbs = reader.whole(name, 0, MOST_LOGPROBS);
      default -> {
        if (!conversation.read(name)) {
          reader.common(name);
        }
      }
    }
  }

  /** The newer name of the same number; OpenAI refuses both together too. */
  private void addMaxTokens(Map<String, ParameterValue> parameters) {
    if (maxCompletionTokens == 0) {
      return;
    }
    var tokens = new ParameterValue.Whole(maxCompletionTokens, false);
    if (parameters.put(MAX_TOKENS, tokens) != null) {
      throw OpenAiError.parameter(
          MAX_COMPLETION_TOKENS, "there beside max_tokens", "one of the two");
    }
    reader.name(MAX_TOKENS, MAX_COMPLETION_TOKENS);
  }

  private void toolChoice(String name) {
    int from = in.position();
    ToolChoice choice = in.peek() == Kind.OBJECT ? named() : unnamed();
    if (choice == null) {
      in.seek(from);
      throw reader.wrong(
          name, "auto, none, required, or an object with a function, which has a name");
    }
    toolChoice = choice;
  }

  private @Nullable ToolChoice unnamed() {
    return in.peek() == Kind.STRING ? ToolChoice.of(in.string().toText()).orElse(null) : null;
  }

  private @Nullable ToolChoice named() {
    String function = null;
    in.beginObject();
    while (in.nextKey()) {
      if (in.keyIs("function") && in.peek() == Kind.OBJECT) {
        in.beginObject();
        while (in.nextKey()) {
          if (in.keyIs("name") && in.peek() == Kind.STRING) {
            function = in.string().toText();
          } else {
            in.skipValue();
          }
        }
      } else {
        in.skipValue();
      }
    }
    return function == null ? null : new ToolChoice.Named(function);
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
