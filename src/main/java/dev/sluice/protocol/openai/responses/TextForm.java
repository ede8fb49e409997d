package dev.sluice.protocol.openai.responses;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.openai.generation.ChatConversation;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.protocol.openai.generation.ResponseFormat;
import java.util.Optional;

/**
 * Reads the form that the text of a response is to have: the member {@code text} of a request. One
 * thread.
 */
final class TextForm {
  static final String FORMAT = "text.format";
  private static final String WANTED =
      "an object with type text, json_object, or json_schema, name and schema";

  private final GenerationReader reader;
  private final JsonCursor in;
  private String verbosity = "";
  private String type = "text";
  private String name = "";
  private String description = "null";
  private Optional<String> schema = Optional.empty();

  /**
   * Reads the next value.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is no form
   */
  TextForm(GenerationReader reader, ChatConversation conversation) {
    this.reader = reader;
    this.in = reader.in();
    if (in.peek() != Kind.OBJECT) {
      throw reader.wrong("text", "an object");
    }
    in.beginObject();
    while (in.nextKey()) {
      if (in.keyIs("format") && in.peek() != Kind.NULL) {
        format();
      } else if (in.keyIs("verbosity") && in.peek() != Kind.NULL) {
        verbosity = conversation.verbosity("text.verbosity");
      } else {
        in.skipValue();
      }
    }
  }

  private void format() {
    if (in.peek() != Kind.OBJECT) {
      throw reader.wrong(FORMAT, WANTED);
    }
    type = "";
    in.beginObject();
    while (in.nextKey()) {
      switch (in.key()) {
        case "type" -> type = reader.text(FORMAT + ".type");
        case "name" -> name = reader.json(FORMAT + ".name", Kind.STRING, "a text");
        case "description" -> description = any();
        case "schema" -> schema = Optional.of(any());
        default -> in.skipValue();
      }
    }
    if (type.equals(ResponseFormat.SCHEMA) && name.isEmpty()) {
      throw wrong("without a name");
    }
  }

  private String any() {
    int from = in.position();
    in.skipValue();
    return in.text(from, in.position()).strip();
  }

  private static InferenceException wrong(String got) {
    return OpenAiError.parameter(FORMAT, got, WANTED);
  }

  /**
   * Returns the schema that the model heeds; empty if the answer is any text.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the form is none
   */
  Optional<ParameterValue> constraint() {
    return ResponseFormat.constraint(type, schema.map(ParameterValue.Text::new), TextForm::wrong);
  }

  /** Returns it as a response repeats it. Schemas are always strict. */
  String json() {
    String format =
        type.equals(ResponseFormat.SCHEMA)
            ? "\"name\":%s,\"description\":%s,\"schema\":%s,\"strict\":true,"
                .formatted(name, description, schema.orElse("null"))
            : "";
    return "{\"format\":{%s\"type\":\"%s\"}%s}"
        .formatted(format, type, verbosity.isEmpty() ? "" : ",\"verbosity\":\"" + verbosity + "\"");
  }
}
