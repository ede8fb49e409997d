package dev.sluice.config.compat.triton;

import static java.util.Locale.ROOT;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.TextProto.Message;
import dev.sluice.config.binding.TextProto.Scalar;
import dev.sluice.config.binding.TextProto.Value;
import dev.sluice.config.compat.triton.TritonSchema.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a Triton model configuration in protobuf's JSON form, as load requests carry it: fields may
 * be named in snake case or in camel case.
 */
final class TritonJson {
  /** Deeper than any model's settings. */
  private static final int DEEPEST = 32;

  private static final Pattern CAPITAL = Pattern.compile("[A-Z]");

  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
              .build());

  private TritonJson() {}

  /**
   * Returns the message that a text stands for. Numbers may be texts, as protobuf allows.
   *
   * @param name what to call the text in complaints
   */
  static Message read(String name, String text) {
    JsonNode tree;
    try {
      tree = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new ConfigException(name + ": is no JSON: " + what(e) + " at " + place(e));
    }
    if (!tree.isObject()) {
      throw new ConfigException(name + ": wanted a JSON object");
    }
    return message(TritonSchema.ROOT, tree);
  }

  /** Returns the parser's words without those on its own settings. */
  private static String what(JsonProcessingException failure) {
    String text = String.valueOf(failure.getOriginalMessage()).lines().findFirst().orElse("");
    int own = text.indexOf(" (start marker");
    return own < 0 ? text : text.substring(0, own);
  }

  private static String place(JsonProcessingException failure) {
    JsonLocation at = failure.getLocation();
    return at == null ? "its beginning" : "line " + at.getLineNr() + ", column " + at.getColumnNr();
  }

  private static Message message(String type, JsonNode tree) {
    var message = new Message(new LinkedHashMap<>());
    for (Map.Entry<String, JsonNode> member : tree.properties()) {
      if (!member.getValue().isNull()) {
        String name = fieldName(type, member.getKey());
        Field field = TritonSchema.fields(type).get(name);
        message.fields().put(name, values(field, member.getValue()));
      }
    }
    return message;
  }

  /** Returns the field's own name if it is known by this one, in either form. */
  private static String fieldName(String type, String key) {
    String snake =
        CAPITAL.matcher(key).replaceAll(letter -> "_" + letter.group()).toLowerCase(ROOT);
    return TritonSchema.fields(type).containsKey(snake) ? snake : key;
  }

  private static List<Value> values(@Nullable Field field, JsonNode tree) {
    List<Value> values = new ArrayList<>();
    if (tree.isArray()) {
      tree.forEach(item -> values.add(value(field, item)));
    } else if (field != null && field.label() == TritonSchema.Label.MAP && tree.isObject()) {
      tree.properties().forEach(entry -> values.add(entry(field, entry)));
    } else {
      values.add(value(field, tree));
    }
    return values;
  }

  private static Message entry(Field field, Map.Entry<String, JsonNode> entry) {
    Map<String, List<Value>> fields = new LinkedHashMap<>();
    fields.put("key", List.of(new Scalar(entry.getKey())));
    fields.put("value", List.of(value(field, entry.getValue())));
    return new Message(fields);
  }

  private static Value value(@Nullable Field field, JsonNode tree) {
    return tree.isObject()
        ? message(field == null ? "" : field.type(), tree)
        : new Scalar(tree.asText());
  }
}
