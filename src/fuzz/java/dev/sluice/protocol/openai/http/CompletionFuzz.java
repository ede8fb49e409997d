package dev.sluice.protocol.openai.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.fuzz.Conversations;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.inference.SeveralAnswers;
import dev.sluice.transport.Body;
import java.util.List;

/**
 * Bodies of OpenAI's protocol that ask for text, by the digit in front: 0 a completion, 1 an answer
 * in a conversation. The prompt of a conversation is JSON again, as another parser reads it.
 */
final class CompletionFuzz implements FuzzTarget {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    CompletionKind kind = bytes.one(List.of(CompletionKind.values()));
    byte[] body = bytes.rest();
    CompletionRequest request = Rejection.request(() -> kind.read(Body.of(body)));
    if (request != null) {
      requireBounded(request);
      if (kind == CompletionKind.CHAT) {
        requireConversation(request.prompts().getFirst());
      }
    }
  }

  private static void requireBounded(CompletionRequest request) {
    if (request.choices() < 1 || request.choices() > SeveralAnswers.MOST) {
      throw new AssertionError(request.choices() + " answers");
    }
    for (int i = 0; i < request.choices(); i++) {
      String beginning = request.beginning(i);
      if (!beginning.isEmpty() && !request.prompts().contains(beginning)) {
        throw new AssertionError("an answer begins with no prompt");
      }
    }
  }

  private static void requireConversation(String prompt) {
    JsonNode messages;
    try {
      messages = JSON.readTree(prompt).path("messages");
    } catch (StreamConstraintsException _) {
      // The other parser takes less depth, and shorter numbers.
      return;
    } catch (JsonProcessingException e) {
      throw new AssertionError("a conversation is no JSON: " + prompt, e);
    }
    Conversations.require(messages);
  }
}
