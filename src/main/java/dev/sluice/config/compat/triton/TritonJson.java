package dev.sluice.config.compat.triton;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.FileProblem;
import dev.sluice.config.binding.Section;
import dev.sluice.config.compat.triton.proto.ModelConfig;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A Triton model configuration in protobuf's JSON form: as load requests carry it, with fields in
 * snake case or in camel case, and as answers show it.
 */
public final class TritonJson {
  /** Deeper than any model's settings. */
  static final int DEEPEST = 32;

  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
              .build());

  private TritonJson() {}

  /**
   * Returns the message that a text stands for.
   *
   * @param name what to call the text in complaints
   * @param ignored takes the fields that no configuration has
   * @throws ConfigException naming the place or the outermost field that is wrong
   */
  static ModelConfig read(String name, String text, Set<String> ignored) {
    JsonNode tree;
    try {
      tree = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new ConfigException(name + ": " + FileProblem.of(e));
    }
    if (!(tree instanceof ObjectNode fields)) {
      throw new ConfigException(name + ": wanted a JSON object");
    }
    removeUnknown("", fields, ModelConfig.getDescriptor(), ignored);
    var model = ModelConfig.newBuilder();
    for (Map.Entry<String, JsonNode> field : fields.properties()) {
      try {
        JsonFormat.parser()
            .merge(JSON.createObjectNode().set(field.getKey(), field.getValue()).toString(), model);
      } catch (InvalidProtocolBufferException e) {
        throw new ConfigException(name + ": " + field.getKey() + ": " + e.getMessage());
      }
    }
    return model.build();
  }

  /** Takes fields that a message does not have out of its tree: protobuf would refuse all of it. */
  private static void removeUnknown(
      String path, JsonNode tree, Descriptor type, Set<String> ignored) {
    if (!(tree instanceof ObjectNode fields)) {
      return;
    }
    for (Map.Entry<String, JsonNode> member : List.copyOf(fields.properties())) {
      String inner = Section.join(path, member.getKey());
      FieldDescriptor field = field(type, member.getKey());
      if (field == null) {
        ignored.add(inner);
        fields.remove(member.getKey());
      } else if (field.isMapField()) {
        FieldDescriptor value = field.getMessageType().findFieldByName("value");
        removeUnknownOfItems(inner, member.getValue(), value, ignored);
      } else if (member.getValue().isArray()) {
        removeUnknownOfItems(inner, member.getValue(), field, ignored);
      } else if (field.getJavaType() == JavaType.MESSAGE) {
        removeUnknown(inner, member.getValue(), field.getMessageType(), ignored);
      }
    }
  }

  private static void removeUnknownOfItems(
      String path, JsonNode items, FieldDescriptor field, Set<String> ignored) {
    if (field.getJavaType() == JavaType.MESSAGE) {
      items.forEach(item -> removeUnknown(path, item, field.getMessageType(), ignored));
    }
  }

  private static @Nullable FieldDescriptor field(Descriptor type, String key) {
    return type.getFields().stream()
        .filter(field -> field.getName().equals(key) || field.getJsonName().equals(key))
        .findFirst()
        .orElse(null);
  }

  /**
   * Shows a configuration as Triton does: in snake case, with the fields that have their default,
   * and 64-bit numbers as numbers, which protobuf's own printer would show as texts.
   */
  public static String print(ModelConfig model) {
    return tree(model).toString();
  }

  private static ObjectNode tree(Message message) {
    ObjectNode tree = JSON.createObjectNode();
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.isRepeated() || !field.hasPresence() || message.hasField(field)) {
        tree.set(field.getName(), value(field, message.getField(field)));
      }
    }
    return tree;
  }

  private static JsonNode value(FieldDescriptor field, Object value) {
    return switch (value) {
      case List<?> entries when field.isMapField() -> {
        ObjectNode map = JSON.createObjectNode();
        FieldDescriptor key = field.getMessageType().findFieldByName("key");
        FieldDescriptor of = field.getMessageType().findFieldByName("value");
        for (Object item : entries) {
          Message entry = (Message) item;
          map.set(String.valueOf(entry.getField(key)), value(of, entry.getField(of)));
        }
        yield map;
      }
      case List<?> items -> {
        ArrayNode array = JSON.createArrayNode();
        items.forEach(item -> array.add(value(field, item)));
        yield array;
      }
      case Message inner -> tree(inner);
      case EnumValueDescriptor word -> TextNode.valueOf(word.getName());
      default -> JSON.valueToTree(value);
    };
  }
}
