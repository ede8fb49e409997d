package dev.sluice.text.jinja;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.text.jinja.value.TemplateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Templates against jinja2, whose texts {@code src/test/python/jinja_reference.py} writes down. */
class ChatTemplateReferenceTest {
  private static final Path FOLDER = Path.of("src/test/resources/text/jinja");
  private static final JsonMapper JSON = new JsonMapper();
  private static final ZonedDateTime NOW =
      ZonedDateTime.of(2024, 2, 1, 13, 5, 9, 0, ZoneOffset.UTC);

  static Stream<String> templates() throws IOException {
    return json("expected.json").properties().stream().map(Map.Entry::getKey);
  }

  private static JsonNode json(String file) throws IOException {
    return JSON.readTree(Files.readString(FOLDER.resolve(file)));
  }

  @ParameterizedTest
  @MethodSource("templates")
  void rendersAsJinjaDoes(String name) throws IOException {
    String source = name.endsWith(".jinja") ? Files.readString(FOLDER.resolve(name)) : name;
    JsonNode expected = json("expected.json").get(name);
    JsonNode conversations = json("conversations.json");
    assertThat(expected).hasSameSizeAs(conversations);
    for (int i = 0; i < expected.size(); i++) {
      assertThat(rendered(source, conversations.get(i)))
          .as("conversation %d", i)
          .isEqualTo(expected.get(i).textValue());
    }
  }

  private static @Nullable String rendered(String source, JsonNode conversation) {
    Map<String, JsonNode> given = new HashMap<>();
    given.put("tools", JSON.nullNode());
    conversation.properties().forEach(each -> given.put(each.getKey(), each.getValue()));
    try {
      return ChatTemplate.parse(source, Map.of("bos_token", "<s>", "eos_token", "</s>"))
          .render(given, 1 << 16, () -> NOW)
          .toString();
    } catch (TemplateException _) {
      return null;
    }
  }
}
