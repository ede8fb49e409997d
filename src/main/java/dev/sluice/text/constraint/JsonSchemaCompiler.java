package dev.sluice.text.constraint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.config.binding.FileProblem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.lucene.util.automaton.Automaton;

/**
 * Compiles a part of JSON Schema to the automaton of the JSON texts that are valid: compact, with
 * at most one space behind colons and commas, the members of objects in the order of {@code
 * properties} and no others. One thread.
 */
final class JsonSchemaCompiler {
  private static final int LONGEST = 1 << 16;
  private static final int DEEPEST = 32;

  /** What says nothing of the value. */
  private static final Set<String> ANNOTATIONS =
      Set.of(
          "$schema",
          "$id",
          "$comment",
          "$defs",
          "definitions",
          "title",
          "description",
          "default",
          "examples",
          "deprecated",
          "readOnly",
          "writeOnly");

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private final JsonNode root;
  private final Languages languages;
  private final JsonValues values;
  private final List<String> references = new ArrayList<>();

  private JsonSchemaCompiler(JsonNode root, Languages languages) {
    this.root = root;
    this.languages = languages;
    this.values = new JsonValues(languages);
  }

  /**
   * Returns the JSON texts that a schema describes.
   *
   * @throws InvalidConstraint if it is none, has a keyword that is not supported, or is too large
   */
  static Automaton compile(String schema, Languages languages) {
    return compile(json(schema), languages);
  }

  /** Returns the JSON texts that a schema describes. */
  static Automaton compile(JsonNode schema, Languages languages) {
    return new JsonSchemaCompiler(schema, languages).value(schema, "#", 0);
  }

  /**
   * Reads JSON of a constraint.
   *
   * @throws InvalidConstraint if it is none, or too long
   */
  static JsonNode json(String text) {
    if (text.length() > LONGEST) {
      throw new InvalidConstraint(
          "has %d characters; it may have %d".formatted(text.length(), LONGEST));
    }
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new InvalidConstraint(FileProblem.of(e));
    }
  }

  private Automaton value(JsonNode schema, String at, int depth) {
    // What is referred to is compiled again wherever it is.
    languages.requireWork(schema.size());
    if (depth > DEEPEST) {
      throw new InvalidConstraint("is deeper than " + DEEPEST + " schemas at " + at);
    }
    if (schema.isBoolean() && schema.booleanValue()) {
      return values.any();
    }
    if (!schema.isObject()) {
      throw new InvalidConstraint("has no schema, an object, at " + at);
    }
    if (schema.has("$ref")) {
      requireOnly(schema, at, Set.of("$ref"));
      return reference(schema.get("$ref"), at, depth);
    }
    if (schema.has("anyOf")) {
      requireOnly(schema, at, Set.of("anyOf"));
      return anyOf(schema.get("anyOf"), at + "/anyOf", depth);
    }
    return schema.has("enum") || schema.has("const")
        ? literals(schema, at)
        : typed(schema, at, depth);
  }

  private static void requireOnly(JsonNode schema, String at, Set<String> supported) {
    schema
        .fieldNames()
        .forEachRemaining(keyword -> {
          if (!supported.contains(keyword) && !ANNOTATIONS.contains(keyword)) {
            throw new InvalidConstraint(
                "has keyword \"%s\" at %s, which is not supported there".formatted(keyword, at));
          }
        });
  }

  private Automaton reference(JsonNode reference, String at, int depth) {
    String target = textOf(reference, "$ref", at);
    languages.requireWork(target.length());
    String pointer =
        PointerFragment.pointer(target)
            .orElseThrow(() ->
                new InvalidConstraint(
                    "has \"$ref\" to \"%s\" at %s; wanted a place in the schema itself"
                        .formatted(target, at)));
    JsonNode found = root.at(pointer);
    if (found.isMissingNode()) {
      throw new InvalidConstraint(
          "has \"$ref\" to \"%s\" at %s, where nothing is".formatted(target, at));
    }
    if (references.contains(pointer)) {
      throw new InvalidConstraint(
          "has \"$ref\" to \"%s\" within itself, which is not supported".formatted(target));
    }
    references.add(pointer);
    Automaton value = value(found, target, depth + 1);
    references.removeLast();
    return value;
  }

  private Automaton anyOf(JsonNode schemas, String at, int depth) {
    List<Automaton> choices = new ArrayList<>();
    for (JsonNode each : schemas) {
      choices.add(value(each, at + "/" + choices.size(), depth + 1));
    }
    if (!schemas.isArray() || choices.isEmpty()) {
      throw new InvalidConstraint("has no list of schemas at " + at);
    }
    return languages.oneOf(choices);
  }

  private Automaton literals(JsonNode schema, String at) {
    requireOnly(schema, at, Set.of("enum", "const", "type"));
    List<JsonNode> literals = new ArrayList<>();
    if (schema.has("enum")) {
      list(schema, "enum", at).forEach(literals::add);
    }
    if (schema.has("const")) {
      JsonNode only = schema.get("const");
      literals.removeIf(value -> !value.equals(only));
      if (!schema.has("enum")) {
        literals.add(only);
      }
    }
    Set<String> types = types(schema, at);
    literals.removeIf(
        value -> !types.isEmpty() && types.stream().noneMatch(type -> is(value, type)));
    if (literals.isEmpty()) {
      throw new InvalidConstraint("allows no value at " + at);
    }
    return languages.oneOf(
        literals.stream().map(value -> languages.text(value.toString())).toList());
  }

  /** Returns the list that a keyword has; empty if the keyword is not there. */
  private JsonNode list(JsonNode schema, String keyword, String at) {
    JsonNode list = schema.path(keyword);
    if (!list.isMissingNode() && !list.isArray()) {
      throw new InvalidConstraint("has %s at %s that is no list".formatted(keyword, at));
    }
    languages.requireWork(list.size());
    return list;
  }

  private static String textOf(JsonNode text, String keyword, String at) {
    if (!text.isTextual()) {
      throw new InvalidConstraint("has %s at %s that is no text".formatted(keyword, at));
    }
    return text.textValue();
  }

  private static boolean is(JsonNode value, String type) {
    return switch (type) {
      case "string" -> value.isTextual();
      case "integer" -> isWhole(value);
      case "number" -> value.isNumber();
      case "boolean" -> value.isBoolean();
      case "null" -> value.isNull();
      case "array" -> value.isArray();
      default -> value.isObject();
    };
  }

  /** Returns whether a value is a whole number, as 5.0 is too, to its last digit. */
  private static boolean isWhole(JsonNode value) {
    return value.isIntegralNumber()
        || (value.isNumber() && value.decimalValue().stripTrailingZeros().scale() <= 0);
  }

  /** Returns the types that a schema names; empty if it names none. */
  private static Set<String> types(JsonNode schema, String at) {
    JsonNode type = schema.path("type");
    if (type.isMissingNode()) {
      return Set.of();
    }
    if (type.isArray() && type.isEmpty()) {
      throw wrongType(type, at);
    }
    Set<String> types = new HashSet<>();
    for (JsonNode each : type.isArray() ? type : List.of(type)) {
      if (!each.isTextual() || !JsonValues.TYPES.contains(each.textValue())) {
        throw wrongType(each, at);
      }
      types.add(each.textValue());
    }
    return types;
  }

  private static InvalidConstraint wrongType(JsonNode type, String at) {
    return new InvalidConstraint(
        "has type %s at %s; wanted one of %s"
            .formatted(type, at, String.join(", ", JsonValues.TYPES)));
  }

  private Automaton typed(JsonNode schema, String at, int depth) {
    Set<String> types = types(schema, at);
    if (types.isEmpty()) {
      requireOnly(schema, at, Set.of());
      return values.any();
    }
    Set<String> supported = new HashSet<>(Set.of("type"));
    List<Automaton> choices = new ArrayList<>();
    for (String type : JsonValues.TYPES) {
      if (types.contains(type)) {
        supported.addAll(keywords(type));
        choices.add(typed(type, schema, at, depth));
      }
    }
    requireOnly(schema, at, supported);
    return languages.oneOf(choices);
  }

  private static Set<String> keywords(String type) {
    return switch (type) {
      case "object" -> Set.of("properties", "required", "additionalProperties");
      case "array" -> Set.of("items", "minItems", "maxItems");
      case "string" -> Set.of("pattern", "minLength", "maxLength");
      default -> Set.of();
    };
  }

  private Automaton typed(String type, JsonNode schema, String at, int depth) {
    return switch (type) {
      case "object" -> object(schema, at, depth);
      case "array" -> array(schema, at, depth);
      case "string" -> string(schema, at);
      case "integer" -> values.integer();
      case "number" -> values.number();
      case "boolean" -> values.bool();
      default -> languages.text("null");
    };
  }

  private Automaton string(JsonNode schema, String at) {
    int least = count(schema, "minLength", at, 0);
    int most = count(schema, "maxLength", at, Languages.UNBOUNDED);
    if (!schema.has("pattern")) {
      return values.string(least, most);
    }
    String regex = textOf(schema.get("pattern"), "pattern", at);
    Automaton pattern;
    try {
      pattern = RegexParser.within(regex, languages);
    } catch (InvalidConstraint e) {
      throw new InvalidConstraint("has a pattern at " + at + " that " + e.getMessage());
    }
    return values.string(least, most, pattern);
  }

  private Automaton array(JsonNode schema, String at, int depth) {
    int least = count(schema, "minItems", at, 0);
    int most = count(schema, "maxItems", at, Languages.UNBOUNDED);
    Automaton item =
        schema.has("items") ? value(schema.get("items"), at + "/items", depth + 1) : values.any();
    return values.array(item, least, most);
  }

  private static int count(JsonNode schema, String keyword, String at, int otherwise) {
    JsonNode count = schema.path(keyword);
    if (count.isMissingNode()) {
      return otherwise;
    }
    if (!isWhole(count) || !count.canConvertToInt() || count.intValue() < 0) {
      throw new InvalidConstraint(
          "has %s %s at %s; wanted a whole number from 0".formatted(keyword, count, at));
    }
    return count.intValue();
  }

  private Automaton object(JsonNode schema, String at, int depth) {
    JsonNode properties = schema.path("properties");
    if (!properties.isMissingNode() && !properties.isObject()) {
      throw new InvalidConstraint("has properties at %s that are no object".formatted(at));
    }
    Set<String> required = required(schema, properties, at);
    Automaton others =
        others(schema.path("additionalProperties"), at + "/additionalProperties", depth);
    if (properties.isMissingNode()) {
      return others;
    }
    var members = new JsonMembers(languages);
    properties
        .properties()
        .forEach(property ->
            members.add(
                property.getKey(),
                value(property.getValue(), at + "/properties/" + property.getKey(), depth + 1),
                required.contains(property.getKey())));
    return members.object();
  }

  private Set<String> required(JsonNode schema, JsonNode properties, String at) {
    Set<String> required = new HashSet<>();
    for (JsonNode each : list(schema, "required", at)) {
      String name = textOf(each, "required", at);
      if (!properties.has(name)) {
        throw new InvalidConstraint(
            "requires \"%s\" at %s, which is none of its properties".formatted(name, at));
      }
      required.add(name);
    }
    return required;
  }

  /** Returns the objects of a schema without properties, by what it says of others. */
  private Automaton others(JsonNode schema, String at, int depth) {
    if (schema.isMissingNode() || (schema.isBoolean() && schema.booleanValue())) {
      return values.anyObject();
    }
    return schema.isBoolean()
        ? new JsonMembers(languages).object()
        : values.object(value(schema, at, depth + 1));
  }
}
