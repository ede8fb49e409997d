package dev.sluice.protocol.openai.generation;

import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.openai.tools.ToolFunction;
import dev.sluice.protocol.openai.tools.ToolFunctions;
import java.util.List;

/** Reads the members of a body that make the prompt of a conversation. One thread. */
public final class ChatConversation {
  private final GenerationReader reader;
  private String messages = "";

  /** A list; empty if there are none. */
  private String tools = "";

  /** An object. */
  private String templateVariables = "{}";

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
      case "chat_template_kwargs" ->
          templateVariables = reader.json(name, Kind.OBJECT, "an object");
      default -> {
        return false;
      }
    }
    return true;
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
