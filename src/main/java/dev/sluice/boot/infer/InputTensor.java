package dev.sluice.boot.infer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.tensor.DataType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An input of a request, as {@code --input} says it.
 *
 * @param data the values, flat and in row-major order
 */
record InputTensor(String name, DataType type, List<Integer> shape, ArrayNode data) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Reads {@code NAME[:TYPE]=VALUES}: numbers or texts with commas between them, JSON, {@code -}
   * for JSON from standard input, {@code @FILE} for a file of JSON, or {@code FILE.npy}.
   *
   * @throws ConfigException naming the input, if it cannot be read
   */
  static InputTensor parse(String argument, InputStream stdin) {
    int equals = argument.indexOf('=');
    if (equals <= 0) {
      throw new ConfigException("--input is '" + argument + "'; wanted NAME=VALUES");
    }
    var declared = Declared.of(argument.substring(0, equals));
    String values = argument.substring(equals + 1);
    try {
      return values.endsWith(".npy")
          ? NpyFile.read(declared.name, Path.of(values)).as(declared)
          : of(declared, json(values, stdin));
    } catch (IOException e) {
      throw new ConfigException("--input " + declared.name + ": cannot read " + values + ": " + e);
    }
  }

  /** The name of an input, and its type if the argument says one. */
  private record Declared(String name, @Nullable DataType type) {
    static Declared of(String nameAndType) {
      int colon = nameAndType.lastIndexOf(':');
      String last = nameAndType.substring(colon + 1);
      return Arrays.stream(DataType.values())
          .filter(type -> colon > 0 && last.equals(type.name()))
          .findFirst()
          .map(type -> new Declared(nameAndType.substring(0, colon), type))
          .orElseGet(() -> new Declared(nameAndType, null));
    }
  }

  /** Returns this input of a file, whose own type holds: another one is refused. */
  private InputTensor as(Declared declared) {
    if (declared.type != null && declared.type != type) {
      throw new ConfigException(
          "--input " + name + ": its file has elements of " + type + ", not of " + declared.type);
    }
    return this;
  }

  private static JsonNode json(String values, InputStream stdin) throws IOException {
    if (values.equals("-")) {
      return JSON.readTree(stdin.readAllBytes());
    }
    if (values.startsWith("@")) {
      return JSON.readTree(Files.readAllBytes(Path.of(values.substring(1))));
    }
    try {
      return JSON.readTree(values.startsWith("[") ? values : "[" + values + "]");
    } catch (JsonProcessingException _) {
      return JSON.valueToTree(Arrays.asList(values.split(",", -1)));
    }
  }

  private static InputTensor of(Declared declared, JsonNode nested) {
    List<Integer> shape = new ArrayList<>();
    JsonNode first = nested;
    while (first.isArray()) {
      shape.add(first.size());
      first = first.isEmpty() ? JSON.nullNode() : first.get(0);
    }
    ArrayNode data = JSON.createArrayNode();
    flatten(declared.name, nested, shape, 0, data);
    DataType type = declared.type == null ? typeOf(first) : declared.type;
    return new InputTensor(declared.name, type, List.copyOf(shape), data);
  }

  private static void flatten(
      String name, JsonNode node, List<Integer> shape, int depth, ArrayNode into) {
    boolean leaf = depth == shape.size();
    if (leaf && !node.isNumber() && !node.isTextual() && !node.isBoolean()) {
      String got = node.isMissingNode() ? "nothing" : node.toString();
      throw new ConfigException(
          "--input " + name + ": has " + got + " where a number, text or boolean is wanted");
    }
    if (!leaf && (!node.isArray() || node.size() != shape.get(depth))) {
      throw new ConfigException("--input " + name + ": its lists do not make a tensor");
    }
    if (leaf) {
      into.add(node);
    } else {
      node.forEach(inner -> flatten(name, inner, shape, depth + 1, into));
    }
  }

  /** Returns the type of values that come without one: most models take floats of 32 bits. */
  private static DataType typeOf(JsonNode value) {
    return value.isTextual() ? DataType.BYTES : value.isBoolean() ? DataType.BOOL : DataType.FP32;
  }

  /** Returns the values as nested lists. */
  JsonNode nested() {
    return nested(0, 0, data.size());
  }

  private JsonNode nested(int depth, int from, int count) {
    if (depth == shape.size()) {
      return data.get(from);
    }
    ArrayNode list = JSON.createArrayNode();
    int size = shape.get(depth);
    int each = size == 0 ? 0 : count / size;
    for (int i = 0; i < size; i++) {
      list.add(nested(depth + 1, from + i * each, each));
    }
    return list;
  }
}
