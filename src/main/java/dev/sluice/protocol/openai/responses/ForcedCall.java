package dev.sluice.protocol.openai.responses;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.tools.ToolChoice;

/**
 * Reads whether the model is to call functions: the member {@code tool_choice} of a request. One
 * thread.
 */
final class ForcedCall {
  private static final String WANTED =
      "auto, none, required, or an object of type function, with a name";

  private final ToolChoice choice;
  private final String json;

  /**
   * Reads the next value.
   *
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if it is no choice
   */
  ForcedCall(GenerationReader reader, String name) {
    JsonCursor in = reader.in();
    int from = in.position();
    ToolChoice read = in.peek() == Kind.OBJECT ? named(in) : unnamed(in);
    if (read instanceof ToolChoice.Named(String function) && function.isEmpty()) {
      in.seek(from);
      throw reader.wrong(name, WANTED);
    }
    choice = read;
    json = in.text(from, in.position()).strip();
  }

  /** Returns what was read. */
  ToolChoice choice() {
    return choice;
  }

  /** Returns it as it is written. */
  String json() {
    return json;
  }

  /** Returns a choice; a function without a name if it is none. */
  private static ToolChoice unnamed(JsonCursor in) {
    String word = in.peek() == Kind.STRING ? in.string().toText() : "";
    return ToolChoice.of(word).orElse(new ToolChoice.Named(""));
  }

  private static ToolChoice named(JsonCursor in) {
    String type = "";
    String function = "";
    in.beginObject();
    while (in.nextKey()) {
      boolean text = in.peek() == Kind.STRING;
      if (text && in.keyIs("type")) {
        type = in.string().toText();
      } else if (text && in.keyIs("name")) {
        function = in.string().toText();
      } else {
        in.skipValue();
      }
    }
    return new ToolChoice.Named(type.equals("function") ? function : "");
  }
}
