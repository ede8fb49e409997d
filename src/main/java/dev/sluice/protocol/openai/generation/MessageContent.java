package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonWriter;
import java.util.List;

/** Reads what a message says: a text, or a list of parts that are texts. One thread. */
public final class MessageContent {
  /** What is wanted, for errors. */
  static final String WANTED = "a text, or a list of texts";

  /** The type that templates know, and the member with what such a part says. */
  private static final String TEXT = "text";

  private final GenerationReader reader;
  private final JsonCursor in;
  private final List<String> types;
  private final String part;

  /**
   * @param types of the parts that are texts
   */
  public MessageContent(GenerationReader reader, List<String> types) {
    this.reader = reader;
    this.in = reader.in();
    this.types = List.copyOf(types);
    this.part = "a part of type " + GenerationReader.oneOf(types);
  }

  /**
   * Writes the next value as templates know it: a text, or a list of parts of the type {@code
   * text}.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is no text, an image for instance
   */
  public void copy(JsonWriter out, String name) {
    if (in.peek() == Kind.STRING) {
      out.string(in.string().toText());
      return;
    }
    if (in.peek() != Kind.ARRAY) {
      throw reader.wrong(name, WANTED);
    }
    in.beginArray();
    String before = "[";
    for (int i = 0; in.nextElement(); i++) {
      part(out.raw(before), "%s[%d]".formatted(name, i));
      before = ",";
    }
    out.raw(before.equals("[") ? "[]" : "]");
  }

  private void part(JsonWriter out, String name) {
    String type = "";
    String text = null;
    if (in.peek() != Kind.OBJECT) {
      throw reader.wrong(name, part);
    }
    int from = in.position();
    in.beginObject();
    while (in.nextKey()) {
      String key = in.key();
      boolean string = in.peek() == Kind.STRING;
      if (string && key.equals("type")) {
        type = in.string().toText();
      } else if (string && key.equals(TEXT)) {
        text = in.string().toText();
      } else {
        in.skipValue();
      }
    }
    if (!types.contains(type) || text == null) {
      throw OpenAiError.parameter(
          name, types.contains(type) ? "without a text" : "of type '" + type + "'", part);
    }
    if (type.equals(TEXT)) {
      out.raw(GenerationReader.segment(in.text(from, in.position())));
    } else {
      out.raw("{\"type\":\"text\",\"text\":").string(text).raw('}');
    }
  }
}
