package dev.sluice.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.config.binding.FileProblem;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.tokens.ToolCallForm;
import dev.sluice.text.jinja.ChatTemplate;
import dev.sluice.text.jinja.value.MarkedText;
import dev.sluice.text.jinja.value.TemplateException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Prompts of conversations, as a model's chat template has them. Immutable; any thread. A prompt
 * takes time in proportion to its messages: not on an event loop.
 */
public final class ChatPrompts {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  private static final String MESSAGES = "messages";

  private static final String TOOLS = "tools";

  /** For conversations without tools; null if there is none. */
  private final @Nullable Tried template;

  /** For conversations with tools; null if there is none. */
  private final @Nullable Tried toolTemplate;

  /** Why a template is not there. */
  private final String problem;

  private final boolean broken;
  private final Optional<ToolCallForm> toolCalls;

  private ChatPrompts(
      @Nullable Tried template, Tried toolTemplate, String toolSource, String problem) {
    this.template = template;
    this.toolTemplate = toolTemplate;
    this.problem = problem;
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
   * A template.
   *
   * @param forms in which it takes what messages have
   */
  private record Tried(ChatTemplate template, MessageForms forms) {
    static Tried of(TemplateTrial trial) {
      return new Tried(trial.template(), trial.forms());
    }

    /** Changes the messages. */
    MarkedText render(JsonNode given, int longest) {
      forms.give(given.path(MESSAGES), longest);
      return TemplateTrial.render(template, given, longest);
    }
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
      return read(files, files.source(), files.toolSource());
    } catch (TemplateException e) {
      return new ChatPrompts("the model's chat template cannot be used: " + e.text(), true);
    }
  }

  private static ChatPrompts read(ChatTemplateFiles files, String source, String toolSource) {
    if (source.isEmpty() && toolSource.isEmpty()) {
      return new ChatPrompts("the model has no chat template", false);
    }
    String usedSource = toolSource.isEmpty() ? source : toolSource;
    var withTools = new TemplateTrial(files.parse(usedSource), true);
    String problem = "the model has a chat template for conversations with tools alone";
    if (source.isEmpty()) {
      withTools.requireUsable();
    } else {
      ChatTemplate plain = toolSource.isEmpty() ? withTools.template() : files.parse(source);
      var without = new TemplateTrial(plain, false);
      try {
        without.requireUsable();
        return new ChatPrompts(Tried.of(without), Tried.of(withTools), usedSource, "");
      } catch (TemplateException e) {
        if (!withTools.renders()) {
          throw e;
        }
        problem = "the model's chat template cannot be used without tools: " + e.text();
      }
    }
    return new ChatPrompts(null, Tried.of(withTools), usedSource, problem);
  }

  /** Returns why there are no prompts; empty if there are. */
  public Optional<String> problem() {
    return toolTemplate == null ? Optional.of(problem) : Optional.empty();
  }

  /** Returns why there are none without tools; empty if there are some, or none at all. */
  public Optional<String> toolProblem() {
    return template == null && toolTemplate != null ? Optional.of(problem) : Optional.empty();
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
    Tried chosen = given.path(TOOLS).isEmpty() ? template : toolTemplate;
    if (chosen == null) {
      throw InferenceException.invalid(problem);
    }
    requireMessages(given.path(MESSAGES));
    try {
      return chosen.render(given, longest);
    } catch (TemplateException e) {
      throw InferenceException.invalid(
          e.isRaised()
              ? "the model's chat template refuses this: " + e.text()
              : "the model's chat template cannot render this: " + e.text());
    }
  }

  /**
   * Returns a conversation.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is no JSON object
   */
  static JsonNode object(String conversation) {
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
