package dev.sluice.protocol.openai.responses;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.fuzz.Conversations;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.Rejection;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Bodies that ask for a response. The conversation, and what the answer repeats, are JSON again, as
 * another parser reads it; an event's data is one line.
 */
final class ResponseFuzz implements FuzzTarget {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  @Override
  public void accept(byte[] input) {
    ResponseRequest request = Rejection.request(() -> ResponseReader.read(Body.of(input)));
    if (request != null) {
      requireConversation(request.conversation());
      requireSettings(request.settings());
    }
  }

  private static void requireConversation(String conversation) {
    JsonNode read = read(conversation);
    if (read != null) {
      Conversations.require(read.path("messages"));
    }
  }

  private static void requireSettings(ResponseSettings settings) {
    var out = new JsonWriter(256).raw("{\"id\":\"\"");
    settings.write(out);
    String repeated = out.raw('}').toBuffer().toString(StandardCharsets.UTF_8);
    if (repeated.indexOf('\n') >= 0 || repeated.indexOf('\r') >= 0) {
      throw new AssertionError("several lines: " + repeated);
    }
    JsonNode unused = read(repeated);
    if (unused != null && unused.size() != 23) {
      throw new AssertionError("members are missing: " + repeated);
    }
  }

  private static @Nullable JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (StreamConstraintsException _) {
      // The other parser takes less depth, and shorter numbers.
      return null;
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON: " + json, e);
    }
  }
}
