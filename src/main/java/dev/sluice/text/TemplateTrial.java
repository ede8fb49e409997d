package dev.sluice.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.text.jinja.ChatTemplate;
import dev.sluice.text.jinja.value.MarkedText;
import dev.sluice.text.jinja.value.TemplateException;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds out by small conversations what a chat template can render: each is written for what its
 * authors gave it, and none says what that is. One thread.
 *
 * @param template that is tried
 * @param withTools whether it is for conversations in which the model may call functions
 */
record TemplateTrial(ChatTemplate template, boolean withTools) {
  private static final int LONGEST = 1 << 20;
  private static final String TOOLS = "tools";
  private static final String FIRST = "first-part";
  private static final String SECOND = "second-part";

  /** A member of parts that no template knows: one whose prompt has it wrote the list down. */
  private static final String UNKNOWN = "unknown-member";

  /** The function that is called; the one that may be called has another name. */
  private static final String CALLED = "tried_call";

  private static final String NONE = "None";

  private static final String TOOL =
      """
      "tools": [{"type": "function", "function": {"name": "tried_tool", "description": "Tries.",
       "parameters": {"type": "object", "properties": {"place": {"type": "string",
        "description": "Where."}}, "required": ["place"]}}}]\
      """;

  private static final String USER = "\"messages\": [{\"role\": \"user\", \"content\": %s}]";
  private static final String HELLO = USER.formatted("\"Hello\"");
  private static final String CALL =
      """
      "messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": %s,
       "tool_calls": [{"id": "123456789", "type": "function",
        "function": {"name": "tried_call", "arguments": %s}}]}, %s]\
      """;
  private static final String RESULT =
      "{\"role\": \"tool\", \"name\": \"tried_call\", \"tool_call_id\": \"123456789\","
          + " \"content\": \"1\"}";
  private static final String NEXT = "{\"role\": \"user\", \"content\": \"Hello\"}";

  private static final String TEXT = "\"" + FIRST + "\"";
  private static final String PARTS =
      """
      [{"type": "text", "text": "first-part", "unknown-member": 1}, {"type": "text",
       "text": "second-part", "unknown-member": 1}]\
      """;

  /**
   * Renders a conversation. What a template refuses in its own words, it can refuse.
   *
   * @throws TemplateException if the template cannot be used
   */
  void requireUsable() {
    try {
      render(HELLO, withTools);
    } catch (TemplateException e) {
      if (!e.isRaised()) {
        throw e;
      }
    }
  }

  /** Returns whether the template renders a conversation. */
  boolean renders() {
    try {
      render(HELLO, withTools);
      return true;
    } catch (TemplateException _) {
      return false;
    }
  }

  /** Returns the forms in which the template takes what messages have. */
  MessageForms forms() {
    boolean parts =
        rendered(USER.formatted(PARTS))
            .filter(prompt -> prompt.contains(FIRST) && prompt.contains(SECOND))
            .filter(prompt -> !prompt.contains(UNKNOWN))
            .isPresent();
    boolean texts = rendered(USER.formatted(TEXT)).filter(p -> p.contains(FIRST)).isPresent();
    return calls().withContents(texts || !parts, parts);
  }

  /** The first forms that show a call, or else that can be rendered. */
  private MessageForms calls() {
    MessageForms usual = MessageForms.USUAL;
    List<MessageForms> all =
        List.of(
            usual,
            usual.withCalls(true, false),
            usual.withCalls(false, true),
            usual.withCalls(false, false));
    return all.stream()
        .filter(forms -> call(forms).filter(prompt -> prompt.contains(CALLED)).isPresent())
        .findFirst()
        .or(() -> all.stream().filter(forms -> call(forms).isPresent()).findFirst())
        .orElse(usual);
  }

  /** Returns the prompt with a call; empty if it cannot be rendered, or has null for a text. */
  private Optional<String> call(MessageForms forms) {
    Optional<String> prompt = call(forms.none() ? "null" : "\"\"", forms.objects());
    if (!forms.none()) {
      return prompt;
    }
    int usual = call("\"\"", forms.objects()).map(TemplateTrial::nones).orElse(Integer.MAX_VALUE);
    return prompt.filter(text -> nones(text) <= usual);
  }

  private Optional<String> call(String content, boolean objects) {
    String arguments = objects ? "{}" : "\"{}\"";
    return rendered(CALL.formatted(content, arguments, RESULT))
        .or(() -> rendered(CALL.formatted(content, arguments, NEXT)));
  }

  private static int nones(String prompt) {
    return prompt.split(NONE, -1).length;
  }

  /** Returns the prompt of a conversation, if need be of the other kind; empty if there is none. */
  private Optional<String> rendered(String messages) {
    for (boolean tools : List.of(withTools, !withTools)) {
      try {
        return Optional.of(render(messages, tools).toString());
      } catch (TemplateException _) {
        // Another conversation may tell.
      }
    }
    return Optional.empty();
  }

  private MarkedText render(String messages, boolean tools) {
    String conversation = "{" + messages + (tools ? ", " + TOOL : "") + "}";
    return render(template, ChatPrompts.object(conversation), LONGEST);
  }

  /**
   * Returns the prompt of a conversation.
   *
   * @param given its variables
   * @param longest characters that it may have
   * @throws TemplateException as the template does
   */
  static MarkedText render(ChatTemplate template, JsonNode given, int longest) {
    Map<String, JsonNode> variables = new HashMap<>();
    for (String optional : List.of(TOOLS, "documents")) {
      variables.put(optional, NullNode.getInstance());
    }
    variables.put("add_generation_prompt", JsonNodeFactory.instance.booleanNode(true));
    given.properties().forEach(each -> variables.put(each.getKey(), each.getValue()));
    return template.render(variables, longest, ZonedDateTime::now);
  }
}
