package dev.sluice.config.binding;

import dev.sluice.config.binding.TextProto.Message;
import dev.sluice.config.binding.TextProto.Scalar;
import dev.sluice.config.binding.TextProto.Value;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A message's fields, read as types. Each method complains with the file, the field, what was got
 * and what is wanted.
 *
 * @param file its name, for texts
 */
public record ProtoFields(String file, Message message) {
  /** Returns whether the message has a field. */
  public boolean has(String field) {
    return message.fields().containsKey(field);
  }

  /** Returns every value of a field that may be repeated. */
  List<Value> values(String field) {
    return message.fields().getOrDefault(field, List.of());
  }

  /** Returns a message inside this one. */
  public Optional<ProtoFields> inner(String field) {
    return last(field).map(value -> inner(field, value));
  }

  /** Returns every message of a field that may be repeated. */
  public List<ProtoFields> inners(String field) {
    return values(field).stream().map(value -> inner(field, value)).toList();
  }

  private ProtoFields inner(String field, Value value) {
    return switch (value) {
      case Message inner -> new ProtoFields(file, inner);
      case Scalar(String text) -> throw error(field, text, "a message in braces");
    };
  }

  /** Returns a quoted text, or a word. */
  public Optional<String> text(String field) {
    return last(field)
        .map(value ->
            switch (value) {
              case Scalar(String text) -> text;
              case Message _ -> throw error(field, "a message", "a text");
            });
  }

  /** Returns a boolean field; empty if it is not there. */
  public Optional<Boolean> flag(String field) {
    return text(field)
        .map(word ->
            switch (word) {
              case "true", "True", "t", "1" -> true;
              case "false", "False", "f", "0" -> false;
              default -> throw error(field, word, "true or false");
            });
  }

  /** Returns a field with a whole number within bounds; empty if it is not there. */
  public Optional<Long> whole(String field, long lowest, long highest) {
    return last(field).map(value -> whole(field, value, lowest, highest));
  }

  /**
   * Refuses fields that a message does not have, in the words of the format's own reader.
   *
   * @param type the message's full name
   * @param known its fields
   */
  public void refuseUnknown(String type, Set<String> known) {
    message.fields().keySet().stream()
        .filter(field -> !known.contains(field))
        .findFirst()
        .ifPresent(field -> {
          throw new ConfigException(
              "%s: Message type \"%s\" has no field named \"%s\"; wanted one of %s"
                  .formatted(file, type, field, String.join(", ", new TreeSet<>(known))));
        });
  }

  /**
   * Names all unused fields in one warning.
   *
   * @param known full names of the fields that are asked for, with dots between levels
   */
  public void warnOfUnknown(Set<String> known, Consumer<String> warnings) {
    Set<String> unknown = new TreeSet<>();
    collectUnknown("", message, known, unknown);
    if (!unknown.isEmpty()) {
      warnings.accept(file + ": has no meaning here: " + String.join(", ", unknown));
    }
  }

  private static void collectUnknown(
      String path, Message message, Set<String> known, Set<String> unknown) {
    message
        .fields()
        .forEach((field, values) -> {
          String name = Section.join(path, field);
          boolean leads = known.stream().anyMatch(one -> one.startsWith(name + "."));
          for (Value value : values) {
            if (leads && value instanceof Message inner) {
              collectUnknown(name, inner, known, unknown);
            } else if (!leads && !known.contains(name)) {
              unknown.add(name);
            }
          }
        });
  }

  /** Returns a field with a whole number from 0; empty if it is not there. */
  public Optional<Integer> number(String field, int highest) {
    return last(field).map(value -> (int) whole(field, value, 0, highest));
  }

  /** Returns all numbers of a repeated field, from the lowest to the highest that is allowed. */
  public List<Long> numbers(String field, long lowest, long highest) {
    List<Long> numbers = new ArrayList<>();
    for (Value value : values(field)) {
      numbers.add(whole(field, value, lowest, highest));
    }
    return numbers;
  }

  /** Returns all numbers of a repeated field; false is 0 and true is 1. */
  public List<Double> decimals(String field) {
    return texts(field).stream().map(text -> decimal(field, text)).toList();
  }

  private double decimal(String field, String text) {
    return switch (text) {
      case "false" -> 0;
      case "true" -> 1;
      default -> {
        try {
          yield Double.parseDouble(text);
        } catch (NumberFormatException e) {
          throw error(field, text, "a number");
        }
      }
    };
  }

  /** Returns all texts of a repeated field. */
  public List<String> texts(String field) {
    return values(field).stream()
        .map(value ->
            switch (value) {
              case Scalar(String text) -> text;
              case Message _ -> throw error(field, "a message", "a number");
            })
        .toList();
  }

  /** Returns the last of several values, as the format itself does. */
  private Optional<Value> last(String field) {
    List<Value> values = values(field);
    return values.isEmpty() ? Optional.empty() : Optional.of(values.getLast());
  }

  private long whole(String field, Value value, long lowest, long highest) {
    String text = value instanceof Scalar scalar ? scalar.text() : "a message";
    String wanted = "a whole number from " + lowest + " to " + highest;
    if (!text.matches("-?\\d{1,19}")
        || new BigInteger(text).compareTo(BigInteger.valueOf(highest)) > 0
        || new BigInteger(text).compareTo(BigInteger.valueOf(lowest)) < 0) {
      throw error(field, text, wanted);
    }
    return Long.parseLong(text);
  }

  /** Makes the error of a field, with what it is and what is wanted. */
  public ConfigException error(String field, String got, String wanted) {
    return new ConfigException(file + ": " + field + " is " + got + "; wanted " + wanted);
  }
}
