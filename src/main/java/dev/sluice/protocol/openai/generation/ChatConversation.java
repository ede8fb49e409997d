package dev.sluice.protocol.openai.generation;

import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.openai.tools.ToolFunction;
import dev.sluice.protocol.openai.tools.ToolFunctions;
import java.util.List;

/** Reads the members of a body that make the prompt of a conversation. One thread. */
public final class ChatConversation {
  /** How long the answers are to be: no model has a setting for that. */
  private static final List<String> VERBOSITIES = List.of("low", "medium", "high");

  private static final List<String> EFFORTS =
      List.of("none", "minimal", "low", "medium", "high", "xhigh", "max");

  private final GenerationReader reader;
  private String messages = "";

  /** A list; empty if there are none. */
  private String tools = "";

  /** An object. */
  private String templateVariables = "{}";

  /** A member; empty if it is not said how long the model is to think. */
  private String effort = "";

  public ChatConversation(GenerationReader reader) {
    this.reader = reader;
  }

  /**
   * Reads a member, whose value is next, if it is of the conversation.
   *
   * @return whether it is
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT, naming what is wrong
   */
  public boolean read(String name) {
    switch (name) {
      case "messages" -> messages = new ChatMessages(reader).read(name);
      case "tools" -> tools = new ChatFunctions(reader).tools(name);
      case "reasoning_effort" -> effort(name);
      case "verbosity" -> verbosity(name);
      case "chat_template_kwargs" ->
          templateVariables = reader.json(name, Kind.OBJECT, "an object");
      default -> {
        return false;
      }
    }
    return true;
  }

  /**
   * Reads how long the model is to think: a variable of the template, for those that know it.
   *
   * @param name what the caller calls it
   * @return what was read
   */
  public String effort(String name) {
    String read = reader.oneOf(name, EFFORTS);
    effort = "\"reasoning_effort\":\"" + read + "\",";
    return read;
  }

  /**
   * Reads how long answers are to be, which has no effect.
   *
   * @param name what the caller calls it
   * @return what was read
   */
  public String verbosity(String name) {
    return reader.oneOf(name, VERBOSITIES);
  }

  /** Returns the functions that the model may call. */
  public List<ToolFunction> functions() {
    return ToolFunctions.read(tools);
  }

  /** Returns whether there are messages. */
  public boolean isThere() {
    return !messages.isEmpty();
  }

  /**
   * Returns the conversation as JSON: of two members of one name the last counts.
   *
   * @param withTools whether the model is shown the functions that it may call
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if there are no messages
   */
  public String json(boolean withTools) {
    return json(withTools, "");
  }

  /**
   * Returns the conversation as JSON.
   *
   * @param others further members, each with a comma behind
   */
  public String json(boolean withTools, String others) {
    if (messages.isEmpty()) {
      throw OpenAiError.parameter("messages", "missing", "a list of messages");
    }
    String variables = templateVariables.substring(1, templateVariables.length() - 1);
    return "{"
        + effort
        + (variables.isBlank() ? "" : variables + ",")
        + others
        + (tools.isEmpty() || !withTools ? "" : "\"tools\":" + tools + ",")
        + "\"messages\":"
        + messages
        + "}";
  }

  /** Takes messages that were read in another form: a list as templates know it, in JSON. */
  public void messages(String list) {
    messages = list;
  }

  /** Takes functions that were read in another form; empty for none. */
  public void tools(String list) {
    tools = list;
  }
}
