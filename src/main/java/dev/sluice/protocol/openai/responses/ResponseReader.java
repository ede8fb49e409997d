package dev.sluice.protocol.openai.responses;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.openai.generation.ChatConversation;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.generation.GeneratorOutputs;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.protocol.openai.tools.ToolChoice;
import dev.sluice.protocol.openai.tools.ToolFunction;
import dev.sluice.protocol.openai.tools.Tools;
import dev.sluice.transport.Body;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the body of a request for a response, in one pass. One thread. */
final class ResponseReader {
  private static final String INPUT = "input";
  private static final String MAX_TOKENS = "max_tokens";
  private static final String MAX_OUTPUT_TOKENS = "max_output_tokens";
  private static final String LOGPROBS = "logprobs";
  private static final String INCLUDED_LOGPROBS = "message.output_text.logprobs";
  private static final int MOST_LOGPROBS = 20;
  private static final List<String> SUMMARIES = List.of("auto", "concise", "detailed", "none");
  private static final String NOTHING_KEPT = "none: the server keeps no responses";

  private final GenerationReader reader;
  private final JsonCursor in;
  private final ChatConversation conversation;
  private final ResponseSettings settings = new ResponseSettings();

  /** Elements of a list. */
  private String messages = "";

  /** A text in JSON. */
  private String instructions = "";

  private List<ToolFunction> functions = List.of();
  private ToolChoice toolChoice = new ToolChoice.Auto();
  private boolean parallel = true;
  private boolean logProbs;
  private int topLogProbs;

  private ResponseReader(Body json) {
    reader = new GenerationReader(json, "responses");
    in = reader.in();
    conversation = new ChatConversation(reader);
  }

  /**
   * Reads a body.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter that is wrong
   */
  static ResponseRequest read(Body json) {
    var body = new ResponseReader(json);
    body.reader.name(GeneratorOutputs.TEXT, INPUT);
    body.reader.name(MAX_TOKENS, MAX_OUTPUT_TOKENS);
    body.reader.read(body::member);
    return body.request();
  }

  private ResponseRequest request() {
    String model = reader.model();
    if (messages.isEmpty()) {
      throw OpenAiError.parameter(INPUT, "missing", "a text, or a list of items");
    }
    String system =
        instructions.isEmpty() ? "" : "{\"role\":\"system\",\"content\":" + instructions + "},";
    conversation.messages("[" + system + messages + "]");
    Map<String, ParameterValue> parameters = reader.parameters();
    parameters.put("chat", new ParameterValue.Flag(true));
    if (logProbs || topLogProbs > 0) {
      parameters.put(LOGPROBS, new ParameterValue.Whole(topLogProbs, false));
    }
    var tools = new Tools(functions, toolChoice, parallel);
    tools.addTo(parameters, "text.format");
    reader.name(Tools.STRICT_TOOLS, "tools");
    return new ResponseRequest(
        model,
        conversation.json(tools.areShown()),
        reader.stream(),
        reader.said(),
        tools,
        settings);
  }

  private void member(String name) {
    switch (name) {
      case INPUT -> messages = new ResponseItems(reader).read(name);
      case "instructions" -> {
        instructions = reader.json(name, Kind.STRING, "a text");
        settings.put(name, instructions);
      }
      case "chat_template_kwargs" -> conversation.read(name);
      case "tools" -> tools(name);
      case "tool_choice" -> {
        var choice = new ForcedCall(reader, name);
        toolChoice = choice.choice();
        settings.put(name, choice.json());
      }
      case "include" -> include(name);
      case "top_logprobs" -> {
        topLogProbs = reader.whole(name, 0, MOST_LOGPROBS);
        settings.put(name, Integer.toString(topLogProbs));
      }
      // Conversations call it so; here it is in an object.
      case "reasoning_effort", "verbosity" -> throw reader.unknown(name);
      case "previous_response_id", "conversation" ->
          throw OpenAiError.parameter(name, "there", NOTHING_KEPT);
      case "background" -> {
        if (reader.flag(name)) {
          throw OpenAiError.parameter(name, "true", "false: the server keeps no responses");
        }
      }
      case "reasoning" -> reasoning(name);
      default -> generation(name);
    }
  }

  /** Reads what says how text is generated. */
  private void generation(String name) {
    switch (name) {
      case "text" -> text();
      case MAX_OUTPUT_TOKENS -> {
        int most = reader.whole(name, 1, Integer.MAX_VALUE);
        reader.parameters().put(MAX_TOKENS, new ParameterValue.Whole(most, false));
        settings.put(name, Integer.toString(most));
      }
      case "temperature", "top_p", "presence_penalty", "frequency_penalty" -> number(name);
      // Other calls have these; here the same is said in another way, or not at all.
      case MAX_TOKENS, "n", "response_format" -> throw reader.unknown(name);
      default -> repeated(name);
    }
  }

  /** Reads what is repeated; most of it has no effect. */
  private void repeated(String name) {
    switch (name) {
      case "user", "safety_identifier", "prompt_cache_key" ->
          settings.put(name, reader.json(name, Kind.STRING, "a text"));
      case "metadata" -> metadata(name);
      case "parallel_tool_calls" -> {
        parallel = reader.flag(name);
        settings.put(name, Boolean.toString(parallel));
      }
      case "max_tool_calls" ->
          settings.put(name, Integer.toString(reader.whole(name, 1, Integer.MAX_VALUE)));
      case "truncation" -> {
        String _ = reader.oneOf(name, List.of("disabled"));
      }
      default -> reader.common(name);
    }
  }

  private void tools(String name) {
    var tools = new ResponseTools(reader, name);
    conversation.tools(tools.template());
    functions = tools.functions();
    settings.put(name, tools.repeated());
  }

  private void text() {
    var form = new TextForm(reader, conversation);
    form.constraint().ifPresent(schema -> reader.schema(TextForm.FORMAT, schema));
    settings.put("text", form.json());
  }

  private void number(String name) {
    int from = in.position();
    settings.put(name, reader.json(name, Kind.NUMBER, "a number"));
    in.seek(from);
    reader.parameter(name);
  }

  /** Reads what is to be in the answer besides: what there never is, is not missed. */
  private void include(String name) {
    if (in.peek() != Kind.ARRAY) {
      throw reader.wrong(name, "a list of texts");
    }
    in.beginArray();
    for (int i = 0; in.nextElement(); i++) {
      logProbs |= reader.text("%s[%d]".formatted(name, i)).equals(INCLUDED_LOGPROBS);
    }
  }

  private void metadata(String name) {
    int from = in.position();
    if (in.peek() != Kind.OBJECT) {
      throw reader.wrong(name, "an object of texts");
    }
    in.beginObject();
    while (in.nextKey()) {
      String _ = reader.text(name + "." + BoundedText.cut(in.key(), 60));
    }
    settings.put(name, in.text(from, in.position()));
  }

  /** Templates may heed how long the model is to think; no summary is made of that. */
  private void reasoning(String name) {
    if (in.peek() != Kind.OBJECT) {
      throw reader.wrong(name, "an object");
    }
    var said = new HashMap<String, String>();
    in.beginObject();
    while (in.nextKey()) {
      String member = in.key();
      String called = name + "." + member;
      if (in.peek() == Kind.NULL) {
        in.nothing();
        continue;
      }
      switch (member) {
        case "effort" -> said.put(member, conversation.effort(called));
        case "summary", "generate_summary" -> said.put(member, reader.oneOf(called, SUMMARIES));
        default -> throw reader.unknown(called);
      }
    }
    settings.reasoning(said.get("effort"), said.get("summary"));
  }
}
