package dev.sluice.fuzz;

import com.fasterxml.jackson.databind.JsonNode;

/** What holds for each conversation that a request is made into. */
public final class Conversations {
  private Conversations() {}

  /**
   * Requires messages, each with a role, and a content that is a text, a list of texts, or null in
   * a message of the model's, which may be a call of a tool alone.
   *
   * @param messages of the conversation
   * @throws AssertionError if that is not so
   */
  public static void require(JsonNode messages) {
    if (!messages.isArray() || messages.isEmpty()) {
      throw new AssertionError("a conversation without messages: " + messages);
    }
    for (JsonNode message : messages) {
      JsonNode content = message.path("content");
      boolean silent = content.isNull() && message.path("role").asText().equals("assistant");
      if (!message.path("role").isTextual()
          || !(silent || content.isTextual() || isListOfTexts(content))) {
        throw new AssertionError("a message without a role or a content: " + message);
      }
    }
  }

  private static boolean isListOfTexts(JsonNode content) {
    if (!content.isArray()) {
      return false;
    }
    for (JsonNode part : content) {
      if (!part.path("type").asText().equals("text") || !part.path("text").isTextual()) {
        return false;
      }
    }
    return true;
  }
}
