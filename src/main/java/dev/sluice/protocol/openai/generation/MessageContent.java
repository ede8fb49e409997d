package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import java.util.List;

/** Reads what a message says: a text, or a list of parts that are texts. One thread. */
public final class MessageContent {
  /** What is wanted, for errors. */
  static final String WANTED = "a text, or a list of texts";

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
   * Returns the next value as one text: parts are lines of it.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is no text, an image for instance
   */
  public String read(String name) {
    if (in.peek() == Kind.STRING) {
      return in.string().toText();
    }
    if (in.peek() != Kind.ARRAY) {
      throw reader.wrong(name, WANTED);
    }
    var text = new StringBuilder();
    in.beginArray();
    for (int i = 0; in.nextElement(); i++) {
      text.append(i == 0 ? "" : "\n").append(part("%s[%d]".formatted(name, i)));
    }
    return text.toString();
  }

  private String part(String name) {
    String type = "";
    String text = null;
    if (in.peek() != Kind.OBJECT) {
      throw reader.wrong(name, part);
    }
    in.beginObject();
    while (in.nextKey()) {
      String key = in.key();
      boolean string = in.peek() == Kind.STRING;
      if (string && key.equals("type")) {
        type = in.string().toText();
      } else if (string && key.equals("text")) {
        text = in.string().toText();
      } else {
        in.skipValue();
      }
    }
    if (!types.contains(type) || text == null) {
      throw OpenAiError.parameter(
          name, types.contains(type) ? "without a text" : "of type '" + type + "'", part);
    }
    return text;
  }
}
