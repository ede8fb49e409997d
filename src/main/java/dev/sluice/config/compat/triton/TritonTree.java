package dev.sluice.config.compat.triton;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.TextProto.Message;
import dev.sluice.config.binding.TextProto.Scalar;
import dev.sluice.config.binding.TextProto.Value;
import dev.sluice.config.compat.triton.TritonSchema.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A Triton model configuration as a tree: fields by their names, each a {@link String}, {@link
 * Long}, {@link Double}, {@link Boolean}, {@link List} or {@link Map}.
 */
public final class TritonTree {
  private final String file;
  private final Set<String> ignored = new TreeSet<>();

  private TritonTree(String file) {
    this.file = file;
  }

  /**
   * Turns a message into a tree.
   *
   * @param ignored takes the names of fields that are unknown, or that nothing here follows
   * @throws ConfigException if a value is not of its field's type
   */
  static Map<String, Object> of(String file, Message model, Set<String> ignored) {
    var tree = new TritonTree(file);
    Map<String, Object> read = tree.message("", TritonSchema.ROOT, model);
    ignored.addAll(tree.ignored);
    return read;
  }

  private Map<String, Object> message(String path, String type, Message message) {
    Map<String, Field> fields = TritonSchema.fields(type);
    Map<String, Object> tree = new LinkedHashMap<>();
    message
        .fields()
        .forEach((name, values) -> {
          Field field = fields.get(name);
          String inner = Section.join(path, name);
          if (field == null || !field.followed()) {
            ignored.add(inner);
          }
          if (field != null) {
            tree.put(name, values(inner, field, values));
          }
        });
    return Collections.unmodifiableMap(tree);
  }

  private Object values(String path, Field field, List<Value> values) {
    return switch (field.label()) {
      case SINGLE -> value(path, field, values.getLast());
      case REPEATED -> values.stream().map(value -> value(path, field, value)).toList();
      case MAP -> {
        Map<String, Object> map = new LinkedHashMap<>();
        values.forEach(entry -> put(path, field, entry, map));
        yield Collections.unmodifiableMap(map);
      }
    };
  }

  private void put(String path, Field field, Value entry, Map<String, Object> map) {
    if (!(entry instanceof Message(var fields))) {
      throw error(path, entry, "an entry in braces with key and value");
    }
    List<Value> keys = fields.getOrDefault("key", List.of(new Scalar("")));
    List<Value> values = fields.getOrDefault("value", List.of());
    if (!(keys.getLast() instanceof Scalar(String key))) {
      throw error(path, keys.getLast(), "a key");
    }
    Value empty = field.isMessage() ? new Message(new LinkedHashMap<>()) : new Scalar("");
    map.put(key, value(path, field, values.isEmpty() ? empty : values.getLast()));
  }

  private Object value(String path, Field field, Value value) {
    if (field.isMessage()) {
      if (value instanceof Message inner) {
        return message(path, field.type(), inner);
      }
      throw error(path, value, "a message in braces");
    }
    if (!(value instanceof Scalar(String text))) {
      throw error(path, value, wanted(field));
    }
    try {
      return scalar(field, text);
    } catch (IllegalArgumentException _) {
      throw error(path, value, wanted(field));
    }
  }

  private static Object scalar(Field field, String text) {
    return switch (field.type()) {
      case "int" -> Long.parseLong(text);
      case "float" -> Double.parseDouble(text);
      case "bool" ->
          switch (text) {
            case "true", "True", "t", "1" -> true;
            case "false", "False", "f", "0" -> false;
            default -> throw new IllegalArgumentException(text);
          };
      default -> text;
    };
  }

  private static String wanted(Field field) {
    return switch (field.type()) {
      case "int" -> "a whole number";
      case "float" -> "a number";
      case "bool" -> "true or false";
      default -> "a text or a word";
    };
  }

  private ConfigException error(String path, Value got, String wanted) {
    String shown = got instanceof Scalar(String text) ? text : "a message";
    return new ConfigException(file + ": " + path + " is " + shown + "; wanted " + wanted);
  }

  /** Returns the same tree with every field that has a default, in the schema's order. */
  public static Map<String, Object> complete(Map<String, Object> tree) {
    return complete(TritonSchema.ROOT, tree);
  }

  private static Map<String, Object> complete(String type, Map<?, ?> tree) {
    Map<String, Object> complete = new LinkedHashMap<>();
    TritonSchema.fields(type)
        .forEach((name, field) -> {
          Object value = tree.get(name);
          if (value != null) {
            complete.put(name, complete(field, value));
          } else if (!field.isMessage() || field.label() != TritonSchema.Label.SINGLE) {
            complete.put(name, field.defaultValue());
          }
        });
    return complete;
  }

  private static Object complete(Field field, Object value) {
    if (!field.isMessage()) {
      return value;
    }
    return switch (field.label()) {
      case SINGLE -> complete(field.type(), (Map<?, ?>) value);
      case REPEATED -> {
        List<Object> items = new ArrayList<>();
        ((List<?>) value).forEach(item -> items.add(complete(field.type(), (Map<?, ?>) item)));
        yield items;
      }
      case MAP -> {
        Map<Object, Object> entries = new LinkedHashMap<>();
        ((Map<?, ?>) value)
            .forEach((key, item) -> entries.put(key, complete(field.type(), (Map<?, ?>) item)));
        yield entries;
      }
    };
  }
}
