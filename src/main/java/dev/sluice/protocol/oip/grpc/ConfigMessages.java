package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.sluice.protocol.oip.grpc.proto.ModelConfig;
import java.util.List;
import java.util.Map;

/** Turns a configuration's tree into its message, field by field, by their names. */
final class ConfigMessages {
  private ConfigMessages() {}

  static ModelConfig of(Map<String, Object> tree) {
    var config = ModelConfig.newBuilder();
    fill(config, tree);
    return config.build();
  }

  private static void fill(Message.Builder message, Map<?, ?> tree) {
    tree.forEach((name, value) -> {
      FieldDescriptor field = message.getDescriptorForType().findFieldByName((String) name);
      if (field != null) {
        set(message, field, value);
      }
    });
  }

  private static void set(Message.Builder message, FieldDescriptor field, Object value) {
    switch (value) {
      case Map<?, ?> entries when field.isMapField() ->
          entries.forEach(
              (key, item) -> message.addRepeatedField(field, entry(message, field, key, item)));
      case List<?> items ->
          items.forEach(item -> message.addRepeatedField(field, value(message, field, item)));
      default -> message.setField(field, value(message, field, value));
    }
  }

  private static Message entry(
      Message.Builder message, FieldDescriptor field, Object key, Object item) {
    Message.Builder entry = message.newBuilderForField(field);
    FieldDescriptor keys = field.getMessageType().findFieldByNumber(1);
    FieldDescriptor values = field.getMessageType().findFieldByNumber(2);
    entry.setField(keys, key(keys, (String) key));
    entry.setField(values, value(entry, values, item));
    return entry.build();
  }

  private static Object key(FieldDescriptor field, String key) {
    return field.getJavaType() == FieldDescriptor.JavaType.LONG ? Long.valueOf(key) : key;
  }

  private static Object value(Message.Builder message, FieldDescriptor field, Object value) {
    return switch (field.getJavaType()) {
      case INT -> ((Long) value).intValue();
      case FLOAT -> ((Double) value).floatValue();
      case ENUM -> word(field, (String) value);
      case MESSAGE -> {
        Message.Builder inner = message.newBuilderForField(field);
        fill(inner, (Map<?, ?>) value);
        yield inner.build();
      }
      case LONG, DOUBLE, BOOLEAN, STRING, BYTE_STRING -> value;
    };
  }

  /** Returns the word of an enum; for one that it does not have, the first. */
  private static Object word(FieldDescriptor field, String word) {
    var known = field.getEnumType().findValueByName(word);
    return known == null ? field.getEnumType().findValueByNumber(0) : known;
  }
}
