package dev.sluice.protocol.openai.tools;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.inference.tokens.ToolCallForm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Answers of models in which calls may be, by the digits in front: the form, and how long the
 * pieces are. Pieces change nothing, calls are of the functions that there are, and the arguments
 * of those in a whole answer are JSON.
 */
final class ToolCallsFuzz implements FuzzTarget {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Set<String> FUNCTIONS = Set.of("now", "weather");

  @Override
  public void accept(byte[] input) throws IOException {
    var bytes = new InputBytes(input);
    ToolCallForm form = bytes.one(List.of(ToolCallForm.values()));
    int length = 1 + bytes.below(8);
    String said = new String(bytes.rest(), StandardCharsets.UTF_8);
    require(events(form, false, said, Integer.MAX_VALUE));
    String whole = joined(events(form, true, said, Integer.MAX_VALUE));
    String pieces = joined(events(form, true, said, length));
    if (!whole.equals(pieces)) {
      throw new AssertionError(whole + " is " + pieces + " in pieces");
    }
  }

  private static List<ToolEvent> events(
      ToolCallForm form, boolean streamed, String said, int length) {
    var parser = ToolCallParser.free(FUNCTIONS, Set.of(), form, true, streamed);
    List<ToolEvent> events = new ArrayList<>();
    for (int from = 0; from < said.length(); ) {
      int to = (int) Math.min(said.length(), (long) from + length);
      // No piece ends within a character.
      to += to < said.length() && Character.isLowSurrogate(said.charAt(to)) ? 1 : 0;
      events.addAll(parser.append(said.substring(from, to)));
      from = to;
    }
    events.addAll(parser.end());
    return events;
  }

  private static String joined(List<ToolEvent> events) {
    var joined = new StringBuilder();
    for (ToolEvent event : events) {
      switch (event) {
        case ToolEvent.Text(String text) -> joined.append(text);
        case ToolEvent.Begin(int index, String _, String name) ->
            joined.append(index).append(name).append('(');
        case ToolEvent.Arguments(int _, String json) -> joined.append(json);
        case ToolEvent.End(int _) -> joined.append(')');
      }
    }
    return joined.toString();
  }

  private static void require(List<ToolEvent> events) throws IOException {
    var arguments = new StringBuilder();
    for (ToolEvent event : events) {
      switch (event) {
        case ToolEvent.Text(String text) -> requireTrue(!text.isEmpty(), "an empty text");
        case ToolEvent.Begin(int _, String _, String name) -> {
          requireTrue(FUNCTIONS.contains(name), name);
          arguments.setLength(0);
        }
        case ToolEvent.Arguments(int _, String json) -> arguments.append(json);
        case ToolEvent.End(int _) ->
            requireTrue(JSON.readTree(arguments.toString()).isObject(), arguments.toString());
      }
    }
  }

  private static void requireTrue(boolean kept, String what) {
    if (!kept) {
      throw new AssertionError(what);
    }
  }
}
