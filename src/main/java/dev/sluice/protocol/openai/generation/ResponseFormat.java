package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import java.util.Optional;
import java.util.function.Function;

/** Reads what an answer's form is to be, as the schema that the model heeds. */
public final class ResponseFormat {
  static final String NAME = "response_format";

  /** The parameter of a generator that a schema becomes. */
  public static final String SCHEMA = "json_schema";

  private static final String WANTED =
      "an object with type text, json_object, or json_schema and json_schema.schema";
  private static final ParameterValue ANY_OBJECT = new ParameterValue.Text("{\"type\":\"object\"}");

  private final JsonCursor in;
  private String type = "";
  private Optional<ParameterValue> schema = Optional.empty();

  private ResponseFormat(JsonCursor in) {
    this.in = in;
  }

  /**
   * Reads the next value.
   *
   * @return the schema; empty if the answer is any text
   * @throws InferenceException with INVALID_ARGUMENT if it is no format
   */
  static Optional<ParameterValue> read(JsonCursor in) {
    return new ResponseFormat(in).read();
  }

  private Optional<ParameterValue> read() {
    if (in.peek() != Kind.OBJECT) {
      throw wrong("no object");
    }
    in.beginObject();
    while (in.nextKey()) {
      switch (in.key()) {
        case "type" -> type = text();
        case SCHEMA -> named();
        default -> in.skipValue();
      }
    }
    return constraint(type, schema, ResponseFormat::wrong);
  }

  /**
   * Returns the schema that a form stands for; empty if the answer is any text.
   *
   * @param type text, json_object or json_schema
   * @param schema what was said of it
   * @param wrong makes the error for what was got
   * @throws InferenceException if it is none of them, or has no schema
   */
  public static Optional<ParameterValue> constraint(
      String type, Optional<ParameterValue> schema, Function<String, InferenceException> wrong) {
    return switch (type) {
      case "text" -> Optional.empty();
      case "json_object" -> Optional.of(ANY_OBJECT);
      case SCHEMA -> Optional.of(schema.orElseThrow(() -> wrong.apply("without a schema")));
      default -> throw wrong.apply("of another type");
    };
  }

  private String text() {
    if (in.peek() != Kind.STRING) {
      throw wrong("without a text as its type");
    }
    return in.string().toText();
  }

  /** Reads the schema, beside which are its name and whether it is strict: it always is. */
  private void named() {
    if (in.peek() != Kind.OBJECT) {
      throw wrong("without an object as its json_schema");
    }
    in.beginObject();
    while (in.nextKey()) {
      boolean found = in.key().equals("schema");
      int from = in.position();
      in.skipValue();
      if (found) {
        schema = Optional.of(new ParameterValue.Text(in.text(from, in.position())));
      }
    }
  }

  private static InferenceException wrong(String got) {
    return OpenAiError.parameter(NAME, got, WANTED);
  }
}
