package dev.sluice.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.text.jinja.ChatTemplate;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * The forms in which a template takes what messages have. Immutable; any thread.
 *
 * @param texts whether a content may be a text
 * @param parts whether a content may be a list of parts
 * @param none whether a content may be null
 * @param objects whether arguments of calls are objects; else they are their text
 */
record MessageForms(boolean texts, boolean parts, boolean none, boolean objects) {
  /** What most templates take, and the library gives. */
  static final MessageForms USUAL = new MessageForms(true, false, true, true);

  private static final String CONTENT = "content";
  private static final String ARGUMENTS = "arguments";
  private static final String TEXT = "text";

  /** Writes arguments as the library that templates are made for does. */
  private static final ChatTemplate WRITTEN =
      ChatTemplate.parse("{{ " + ARGUMENTS + " | tojson }}", Map.of());

  MessageForms withContents(boolean asTexts, boolean asParts) {
    return new MessageForms(asTexts, asParts, none, objects);
  }

  MessageForms withCalls(boolean withNone, boolean withObjects) {
    return new MessageForms(texts, parts, withNone, withObjects);
  }

  /**
   * Gives messages these forms.
   *
   * @param messages a list; objects in it are changed
   * @param longest characters that a text may have
   */
  void give(JsonNode messages, int longest) {
    for (JsonNode each : messages) {
      if (each instanceof ObjectNode message) {
        if (message.has(CONTENT)) {
          message.set(CONTENT, content(message.get(CONTENT)));
        }
        message.path("tool_calls").forEach(call -> arguments(call.path("function"), longest));
      }
    }
  }

  private JsonNode content(JsonNode content) {
    JsonNodeFactory json = JsonNodeFactory.instance;
    if (content.isNull() && !none) {
      return json.textNode("");
    }
    if (content.isTextual() && !texts) {
      return json.arrayNode().add(json.objectNode().put("type", TEXT).set(TEXT, content));
    }
    return content instanceof ArrayNode list && !parts && isText(list)
        ? json.textNode(text(list))
        : content;
  }

  private static boolean isText(ArrayNode parts) {
    return StreamSupport.stream(parts.spliterator(), false)
        .allMatch(part -> part.path("type").asText().equals(TEXT) && part.path(TEXT).isTextual());
  }

  /** Returns parts as one text, each a line of it. */
  private static String text(ArrayNode parts) {
    return StreamSupport.stream(parts.spliterator(), false)
        .map(part -> part.path(TEXT).asText())
        .collect(Collectors.joining("\n"));
  }

  private void arguments(JsonNode function, int longest) {
    JsonNode arguments = function.path(ARGUMENTS);
    if (!objects && arguments.isObject() && function instanceof ObjectNode called) {
      Map<String, JsonNode> given = Map.of(ARGUMENTS, arguments);
      called.put(ARGUMENTS, WRITTEN.render(given, longest, ZonedDateTime::now).toString());
    }
  }
}
