package dev.sluice.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.config.binding.FileProblem;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.tokens.ToolCallForm;
import dev.sluice.text.jinja.ChatTemplate;
import dev.sluice.text.jinja.value.MarkedText;
import dev.sluice.text.jinja.value.TemplateException;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Prompts of conversations, as a model's chat template has them. Immutable; any thread. A prompt
 * takes time in proportion to its messages: not on an event loop.
 */
public final class ChatPrompts {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  private static final String TRIED =
      "{\"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}]}";
  private static final int TRIED_LENGTH = 1 << 20;
  private static final String MESSAGES = "messages";

  private static final String TOOLS = "tools";

  private final @Nullable ChatTemplate template;

  /** For conversations with tools. */
  private final @Nullable ChatTemplate toolTemplate;

  private final String problem;
  private final boolean broken;
  private final Optional<ToolCallForm> toolCalls;

  private ChatPrompts(ChatTemplate template, ChatTemplate toolTemplate, String toolSource) {
    this.template = template;
    this.toolTemplate = toolTemplate;
    this.problem = "";
    this.broken = false;
    this.toolCalls = ToolCallForm.of(toolSource);
  }

  private ChatPrompts(String problem, boolean broken) {
    this.template = null;
    this.toolTemplate = null;
    this.problem = problem;
    this.broken = broken;
    this.toolCalls = Optional.empty();
  }

  /**
   * Reads the chat template that lies in a folder, beside the tokenizer: {@code
   * chat_template.jinja}, or the one of {@code tokenizer_config.json}. Blocks. One that cannot be
   * used, which a first prompt shows, is there with its {@link #problem}.
   *
   * @throws InferenceException with INVALID_ARGUMENT if a file is not what its name says
   */
  public static ChatPrompts read(Path folder) {
    var files = new ChatTemplateFiles(folder);
    try {
      String source = files.source();
      if (source.isEmpty()) {
        return new ChatPrompts("the model has no chat template", false);
      }
      ChatTemplate template = files.parse(source);
      requireUsable(template);
      String toolSource = files.toolSource();
      return toolSource.isEmpty()
          ? new ChatPrompts(template, template, source)
          : new ChatPrompts(template, files.parse(toolSource), toolSource);
    } catch (TemplateException e) {
      return new ChatPrompts("the model's chat template cannot be used: " + e.text(), true);
    }
  }

  /** What a template refuses in its own words, it can refuse. */
  private static void requireUsable(ChatTemplate template) {
    try {
      render(template, object(TRIED), TRIED_LENGTH);
    } catch (TemplateException e) {
      if (!e.isRaised()) {
        throw e;
      }
    }
  }

  /** Returns why there are no prompts; empty if there are. */
  public Optional<String> problem() {
    return template == null ? Optional.of(problem) : Optional.empty();
  }

  /** Returns whether there is a template, which cannot be used. */
  public boolean isBroken() {
    return broken;
  }

  /** Returns the form in which the template shows tool calls; empty if it shows none known. */
  Optional<ToolCallForm> toolCalls() {
    return toolCalls;
  }

  /**
   * Returns the prompt for a conversation.
   *
   * @param conversation a JSON object: {@code messages}, and what else the template heeds, such as
   *     {@code tools}; without {@code add_generation_prompt: false} it ends where the model begins
   * @param longest characters that it may have
   * @throws InferenceException with INVALID_ARGUMENT if there is no template, or it does not want
   *     these messages: in its own words
   */
  public MarkedText prompt(String conversation, int longest) {
    JsonNode given = object(conversation);
    ChatTemplate chosen = given.path(TOOLS).isEmpty() ? template : toolTemplate;
    if (chosen == null) {
      throw InferenceException.invalid(problem);
    }
    requireMessages(given.path(MESSAGES));
    try {
      return render(chosen, given, longest);
    } catch (TemplateException e) {
      throw InferenceException.invalid(
          e.isRaised()
              ? "the model's chat template refuses this: " + e.text()
              : "the model's chat template cannot render this: " + e.text());
    }
  }

  private static MarkedText render(ChatTemplate chat, JsonNode given, int longest) {
    Map<String, JsonNode> variables = new HashMap<>();
    for (String optional : List.of(TOOLS, "documents")) {
      variables.put(optional, NullNode.getInstance());
    }
    variables.put("add_generation_prompt", JsonNodeFactory.instance.booleanNode(true));
    given.properties().forEach(each -> variables.put(each.getKey(), each.getValue()));
    return chat.render(variables, longest, ZonedDateTime::now);
  }

  private static JsonNode object(String conversation) {
    JsonNode json;
    try {
      json = JSON.readTree(conversation);
    } catch (JsonProcessingException e) {
      throw InferenceException.invalid("the conversation " + FileProblem.of(e));
    }
    if (!json.isObject()) {
      throw InferenceException.invalid("the conversation is no JSON object");
    }
    return json;
  }

  private static void requireMessages(JsonNode messages) {
    if (!messages.isArray() || messages.isEmpty()) {
      throw InferenceException.invalid(
          "parameter \"messages\" is missing or empty; wanted a list of messages");
    }
    for (int i = 0; i < messages.size(); i++) {
      if (!messages.get(i).path("role").isTextual()) {
        throw InferenceException.invalid(
            "parameter \"messages[%d].role\" is missing; wanted who speaks".formatted(i));
      }
    }
  }
}
