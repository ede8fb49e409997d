package dev.sluice.protocol.openai.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import dev.sluice.inference.tokens.ToolCallForm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON of one call as it comes: an object with the name of a function and its arguments,
 * or these alone. One thread.
 */
final class CallReader {
  /** Keeps nothing of what models write, and shares nothing between threads. */
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .recyclerPool(JsonRecyclerPools.nonRecyclingPool())
          .build();

  private final JsonParser parser;
  private final ByteArrayFeeder feeder;

  /** How deep the object of the arguments is. */
  private final int argumentsDepth;

  /** What was read of the arguments and not taken. */
  private final StringBuilder arguments = new StringBuilder();

  private String key = "";

  /** The last character that is no space. */
  private int before;

  private @Nullable String name;
  private int depth;
  private boolean within;
  private boolean behind;
  private boolean whole;
  private boolean late;

  private CallReader(@Nullable String name) {
    this.name = name;
    this.argumentsDepth = name == null ? 2 : 1;
    try {
      parser = JSON.createNonBlockingByteArrayParser();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    feeder = (ByteArrayFeeder) parser.getNonBlockingInputFeeder();
  }

  /** Returns a reader of an object that names its function. */
  static CallReader ofCall() {
    return new CallReader(null);
  }

  /** Returns a reader of the arguments of a function. */
  static CallReader ofArguments(String function) {
    return new CallReader(function);
  }

  /** Returns the name of the function, when it is known. */
  @Nullable String name() {
    return name;
  }

  /** Returns whether no object or list is in front of the name. */
  boolean beginsWithName() {
    return !late;
  }

  /** Returns whether arguments have begun, or are over. */
  boolean hasArguments() {
    return within || behind;
  }

  /** Returns whether the object has ended. */
  boolean isWhole() {
    return whole;
  }

  /** Returns the arguments that have come since the last time. */
  String takeArguments() {
    String taken = arguments.toString();
    arguments.setLength(0);
    return taken;
  }

  /**
   * Takes the next character.
   *
   * @return false if the object is no call: nothing more may be taken
   */
  boolean take(int character) {
    byte[] bytes = Character.toString(character).getBytes(StandardCharsets.UTF_8);
    boolean argument = within;
    try {
      feeder.feedInput(bytes, 0, bytes.length);
      JsonToken token = parser.nextToken();
      while (token != JsonToken.NOT_AVAILABLE && !whole) {
        if (!take(token)) {
          return false;
        }
        token = whole ? token : parser.nextToken();
      }
    } catch (IOException _) {
      return false;
    }
    before = ToolCallForm.isSpace(character) ? before : character;
    if (argument || within) {
      arguments.appendCodePoint(character);
    }
    return !whole || (name != null && behind);
  }

  private boolean take(JsonToken token) throws IOException {
    // The library takes an end where a value or a name has to be.
    boolean wanted = before == ',' || before == ':';
    return !(wanted && token.isStructEnd()) && read(token);
  }

  private boolean read(JsonToken token) throws IOException {
    switch (token) {
      case START_OBJECT, START_ARRAY -> {
        late |= name == null && depth > 0;
        boolean wanted = depth == argumentsDepth - 1 && (depth == 0 || isArguments());
        depth++;
        return !wanted || begin(token);
      }
      case END_OBJECT, END_ARRAY -> end();
      case FIELD_NAME -> key = depth == 1 ? parser.currentName() : key;
      default -> {
        return depth != 1 || argumentsDepth == 1 || scalar(token);
      }
    }
    return true;
  }

  private boolean isArguments() {
    return key.equals("arguments") || key.equals("parameters");
  }

  /** Arguments are one object. */
  private boolean begin(JsonToken token) {
    boolean first = !behind;
    within = true;
    return first && token == JsonToken.START_OBJECT;
  }

  private void end() {
    depth--;
    if (within && depth < argumentsDepth) {
      within = false;
      behind = true;
    }
    whole = depth == 0;
  }

  private boolean scalar(JsonToken token) throws IOException {
    if (key.equals("name") && name == null && token == JsonToken.VALUE_STRING) {
      name = parser.getText();
      return true;
    }
    return !isArguments() && !key.equals("name");
  }
}
