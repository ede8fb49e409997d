package dev.sluice.text.constraint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.lucene.util.automaton.Automaton;

/**
 * Compiles functions to the automaton of the calls of them: JSON, with the arguments that their
 * schemas describe. One thread.
 */
final class ToolCallCompiler {
  private static final String WANTED =
      "wanted an object with functions, each with a name, and a text: calls, call or arguments";
  private static final Set<String> SAYS_WHAT = Set.of("type", "$ref", "anyOf", "enum", "const");

  private final Languages languages;
  private final JsonValues values;

  private ToolCallCompiler(Languages languages) {
    this.languages = languages;
    this.values = new JsonValues(languages);
  }

  /**
   * Returns the calls, or arguments.
   *
   * @param tools an object: {@code functions}, a list of objects with a {@code name} and {@code
   *     parameters}, a JSON schema; and {@code text}, what the text is: a list of {@code calls},
   *     one at least, or of one {@code call}, or the {@code arguments} of the one function
   * @throws InvalidConstraint if it is none, or a schema is: naming the function
   */
  static Automaton compile(String tools, Languages languages) {
    JsonNode json = JsonSchemaCompiler.json(tools);
    JsonNode functions = functions(json);
    var compiler = new ToolCallCompiler(languages);
    return switch (json.path("text").asText()) {
      case "calls" -> compiler.calls(functions, Languages.UNBOUNDED);
      case "call" -> compiler.calls(functions, 1);
      case "arguments" -> compiler.arguments(functions.get(0));
      default -> throw new InvalidConstraint("has no text that is known; " + WANTED);
    };
  }

  /**
   * Returns what is in calls behind {@code "name":}, whichever of the two usual words their
   * arguments have.
   *
   * @param tools an object: {@code functions}, as for {@link #compile}
   * @throws InvalidConstraint if it is none, or a schema is: naming the function
   */
  static Automaton rests(String tools, Languages languages) {
    var compiler = new ToolCallCompiler(languages);
    return compiler.rests(
        functions(JsonSchemaCompiler.json(tools)),
        languages.oneOf(
            List.of(languages.text("\"arguments\""), languages.text("\"parameters\""))));
  }

  private static JsonNode functions(JsonNode json) {
    JsonNode functions = json.path("functions");
    if (!functions.isArray() || functions.isEmpty()) {
      throw new InvalidConstraint("has no functions; " + WANTED);
    }
    return functions;
  }

  private Automaton calls(JsonNode functions, int most) {
    Automaton call =
        languages.sequence(
            languages.text("{\"name\""),
            values.colon(),
            rests(functions, languages.text("\"arguments\"")));
    return values.array(call, 1, most);
  }

  private Automaton rests(JsonNode functions, Automaton arguments) {
    List<Automaton> choices = new ArrayList<>();
    for (JsonNode function : functions) {
      choices.add(
          languages.sequence(
              languages.text(TextNode.valueOf(name(function)).toString()),
              values.comma(),
              arguments,
              values.colon(),
              arguments(function),
              languages.text("}")));
    }
    return languages.oneOf(choices);
  }

  private static String name(JsonNode function) {
    if (!function.path("name").isTextual()) {
      throw new InvalidConstraint("has a function without a name; " + WANTED);
    }
    return function.path("name").textValue();
  }

  private Automaton arguments(JsonNode function) {
    try {
      return JsonSchemaCompiler.compile(object(function.path("parameters")), languages);
    } catch (InvalidConstraint e) {
      throw new InvalidConstraint(
          "has function \"%s\", whose schema %s".formatted(name(function), e.getMessage()));
    }
  }

  /**
   * Arguments are an object, of no members if the function says nothing of them.
   *
   * @throws InvalidConstraint if the schema is of something else
   */
  private static JsonNode object(JsonNode schema) {
    if (schema.isMissingNode()) {
      ObjectNode none = JsonNodeFactory.instance.objectNode().put("type", "object");
      none.putObject("properties");
      return none;
    }
    if (!(schema instanceof ObjectNode object)) {
      return schema;
    }
    JsonNode type = object.path("type");
    if (isObject(type) || SAYS_WHAT.stream().noneMatch(object::has)) {
      return object.deepCopy().put("type", "object");
    }
    if (!type.isMissingNode()) {
      throw new InvalidConstraint("has type " + type + " at #; wanted \"object\"");
    }
    return schema;
  }

  private static boolean isObject(JsonNode type) {
    return type.isArray()
        ? type.valueStream().anyMatch(ToolCallCompiler::isObject)
        : type.asText().equals("object");
  }
}
