package dev.sluice.protocol.openai.tools;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.inference.tokens.ToolCallForm;
import dev.sluice.text.TokenBytes;
import dev.sluice.text.constraint.ConstrainedText;
import dev.sluice.text.constraint.Constraints;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Answers in which calls of a strict function may be, by the digit in front: the form. What a model
 * wants to write that may not follow is replaced by what may. Whatever that is, the arguments that
 * are read of such a call fit its schema.
 */
final class StrictCallsFuzz implements FuzzTarget {
  private static final Set<String> FUNCTIONS = Set.of("now", "weather");
  private static final Set<String> STRICT = Set.of("weather");
  private static final String TOOLS =
      """
      {"functions": [{"name": "weather", "parameters": {"type": "object", "properties":
       {"a": {"enum": ["x", "yz"]}}, "required": ["a"]}}]}\
      """;
  private static final Pattern FITTING = Pattern.compile("\\{\"a\": ?\"(x|yz)\"}");
  private static final int LINE_END = 0;
  private static final TokenBytes TOKENS =
      TokenBytes.of(
          IntStream.rangeClosed(' ' - 1, '~')
              .mapToObj(each -> each < ' ' ? "\n" : Character.toString(each))
              .toList());

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    ToolCallForm form = bytes.one(List.of(ToolCallForm.values()));
    String said;
    try (var constraints = new Constraints(Optional.of(TOKENS), Optional.of(form));
        ConstrainedText text = constraints.begin(Constraints.Kind.STRICT_TOOLS, TOOLS)) {
      said = said(text, bytes.rest());
    }
    require(events(form, false, said), said);
    require(events(form, true, said), said);
  }

  private static String said(ConstrainedText text, byte[] wanted) {
    var said = new StringBuilder();
    for (byte each : wanted) {
      say(text, each < ' ' || each > '~' ? LINE_END : each - ' ' + 1, said);
    }
    while (!text.mayEnd()) {
      say(text, LINE_END, said);
    }
    return said.toString();
  }

  private static void say(ConstrainedText text, int wanted, StringBuilder said) {
    BitSet following = text.following();
    int token = following == null || following.get(wanted) ? wanted : following.nextSetBit(0);
    if (text.append(token)) {
      said.append(TOKENS.shown(token));
    } else if (following != null) {
      throw new AssertionError(TOKENS.shown(token) + " may not follow " + said);
    }
  }

  private static List<ToolEvent> events(ToolCallForm form, boolean streamed, String said) {
    var parser = ToolCallParser.free(FUNCTIONS, STRICT, form, true, streamed);
    List<ToolEvent> events = new ArrayList<>(parser.append(said));
    events.addAll(parser.end());
    return events;
  }

  private static void require(List<ToolEvent> events, String said) {
    var arguments = new StringBuilder();
    String function = "";
    for (ToolEvent event : events) {
      switch (event) {
        case ToolEvent.Text(String _) -> {}
        case ToolEvent.Begin(int _, String _, String name) -> {
          function = name;
          arguments.setLength(0);
        }
        case ToolEvent.Arguments(int _, String json) -> arguments.append(json);
        case ToolEvent.End(int _) -> {
          if (STRICT.contains(function) && !FITTING.matcher(arguments).matches()) {
            throw new AssertionError(arguments + " does not fit, in " + said);
          }
        }
      }
    }
  }
}
