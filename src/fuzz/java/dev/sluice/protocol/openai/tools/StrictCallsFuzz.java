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
import java.util.stream.Stream;

/**
 * Answers in which calls of a strict function may be, by the digit in front: the form. What a model
 * wants to write that may not follow is replaced by what may; bytes beyond ASCII are spaces, some
 * of which are none of JSON's. Whatever that is, the arguments that are read of such a call fit its
 * schema.
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

  /** Behind the tokens of ASCII. */
  private static final int SPACES = '~' - ' ' + 2;

  private static final List<String> SPACE =
      List.of(
          "\u2003", "\u00a0", "\ufeff", "\u200b", "\u3000", "\u2028", "\u0085", "\u001f", "\f",
          "\u000b", "\t", "\r");

  private static final TokenBytes TOKENS =
      TokenBytes.of(
          Stream.concat(
                  IntStream.rangeClosed(' ' - 1, '~')
                      .mapToObj(each -> each < ' ' ? "\n" : Character.toString(each)),
                  SPACE.stream())
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
      say(text, token(each), said);
    }
    while (!text.mayEnd()) {
      say(text, LINE_END, said);
    }
    return said.toString();
  }

  private static int token(byte wanted) {
    if (wanted < 0) {
      return SPACES + (wanted & 0x7F) % (TOKENS.size() - SPACES);
    }
    return wanted < ' ' || wanted > '~' ? LINE_END : wanted - ' ' + 1;
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
