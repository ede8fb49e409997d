package dev.sluice.protocol.openai.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.tokens.ToolCallForm;
import dev.sluice.text.TokenBytes;
import dev.sluice.text.constraint.ConstrainedText;
import dev.sluice.text.constraint.Constraints;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Spaces of any kind, and escapes, in and around calls of a strict function: what is read as one is
 * held to its schema, because the reader and the constraint take the same for spaces and for names.
 */
class StrictCallsTest {
  private static final String TOOLS =
      """
      {"functions": [{"name": "weather", "parameters": {"type": "object", "properties":
       {"a": {"enum": ["x"]}}, "required": ["a"]}}]}\
      """;
  private static final String WRONG = "{·\"name\"·:·\"weather\"·,\"arguments\":{\"a\":\"q\"}}";
  private static final Set<String> STRICT = Set.of("weather");

  /** All that Java, Unicode or a reader of texts may take for a space. */
  private static final List<String> SPACES =
      IntStream.rangeClosed(0, Character.MAX_CODE_POINT)
          .filter(each ->
              Character.isWhitespace(each)
                  || Character.isSpaceChar(each)
                  || Character.getType(each) == Character.FORMAT
                  || Character.isISOControl(each))
          .mapToObj(Character::toString)
          .toList();

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      textBlock =
          """
          HERMES ~ <tool_call>·{CALL}</tool_call>
          HERMES ~ <tool_call>{"name": "now", "arguments": {}}·{CALL}
          HERMES ~ <tool_call>{"name": "now", "arguments": {}}</tool_call>·{CALL}
          LLAMA ~ ·{CALL}
          LLAMA ~ {"name": "now", "parameters": {}};·{CALL}
          LLAMA ~ Well <|python_tag|>·{CALL}
          LLAMA ~ {"n\\u0061me":·"weather", "parameters": {"a": "q"}}
          LLAMA ~ {"id": 7,·"\\u006E\\u0061\\u006d\\u0065": "weather", "parameters": {"a": "q"}}
          LLAMA ~ {"id": 7, "name": "w\\u0065ather",·"parameters": {"a": "q"}}
          MISTRAL ~ [TOOL_CALLS]·{CALL}
          MISTRAL ~ [TOOL_CALLS]·[·{CALL}]
          MISTRAL ~ [TOOL_CALLS]·weather·{"a": "q"}
          MISTRAL ~ [TOOL_CALLS]now{}·{CALL}
          """)
  void whatIsReadAsACallIsHeldToItsSchema(ToolCallForm form, String shape) {
    for (String space : SPACES) {
      String call = space.equals(" ") ? WRONG : WRONG.replace("·", "");
      String said = shape.replace("{CALL}", call).replace("·", space);
      if (isAllowed(form, said)) {
        assertThat(calls(form, said)).as("behind U+%04X", space.codePointAt(0)).isEmpty();
      }
    }
  }

  private static boolean isAllowed(ToolCallForm form, String said) {
    String all = said + WRONG + "{\"a\":\"x\"}";
    List<String> letters = all.codePoints().distinct().mapToObj(Character::toString).toList();
    try (var constraints = new Constraints(Optional.of(TokenBytes.of(letters)), Optional.of(form));
        ConstrainedText text = constraints.begin(Constraints.Kind.STRICT_TOOLS, TOOLS)) {
      return said.codePoints()
          .mapToObj(Character::toString)
          .allMatch(each -> text.append(letters.indexOf(each)));
    }
  }

  /** Returns the calls of the strict function. */
  private static List<ToolEvent> calls(ToolCallForm form, String said) {
    var parser = ToolCallParser.free(Set.of("now", "weather"), STRICT, form, true, false);
    List<ToolEvent> events = new ArrayList<>(parser.append(said));
    events.addAll(parser.end());
    return events.stream()
        .filter(event -> event instanceof ToolEvent.Begin begin && STRICT.contains(begin.name()))
        .toList();
  }
}
