package dev.sluice.protocol.openai.tools;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads functions from JSON as requests for answers in conversations have it. One thread. */
public final class ToolFunctions {
  private final JsonCursor in;

  private ToolFunctions(String json) {
    in = new JsonCursor(Body.of(json.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Returns the functions of a list.
   *
   * @param tools a JSON list of objects with a {@code function}, which has a name; empty: none
   */
  public static List<ToolFunction> read(String tools) {
    return tools.isEmpty() ? List.of() : new ToolFunctions(tools).list();
  }

  private List<ToolFunction> list() {
    List<ToolFunction> functions = new ArrayList<>();
    in.beginArray();
    while (in.nextElement()) {
      ToolFunction found = new ToolFunction("", "", false);
      in.beginObject();
      while (in.nextKey()) {
        if (in.keyIs("function") && in.peek() == Kind.OBJECT) {
          found = function();
        } else {
          in.skipValue();
        }
      }
      functions.add(found);
    }
    return functions;
  }

  private ToolFunction function() {
    String name = "";
    String parameters = "";
    boolean strict = false;
    in.beginObject();
    while (in.nextKey()) {
      if (in.keyIs("name") && in.peek() == Kind.STRING) {
        name = in.string().toText();
      } else if (in.keyIs("parameters") && in.peek() != Kind.NULL) {
        int from = in.position();
        in.skipValue();
        parameters = in.text(from, in.position());
      } else if (in.keyIs("strict") && in.peek() == Kind.TRUE) {
        strict = in.bool();
      } else {
        in.skipValue();
      }
    }
    return new ToolFunction(name, parameters, strict);
  }
}
