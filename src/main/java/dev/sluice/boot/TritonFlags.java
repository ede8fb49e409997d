package dev.sluice.boot;

import dev.sluice.boot.TritonFlag.Kind;
import dev.sluice.config.ConfigException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A command line of {@code tritonserver}, taken apart: {@code --name=value}, {@code --name value},
 * and switches that stand alone.
 *
 * @param values of the flags that were given, in their order
 */
record TritonFlags(Map<TritonFlag, List<String>> values) {
  /**
   * @throws ConfigException naming what is no flag, as that server does not start either
   */
  static TritonFlags parse(List<String> arguments) {
    Map<TritonFlag, List<String>> values = new EnumMap<>(TritonFlag.class);
    List<String> rest = new ArrayList<>(arguments);
    while (!rest.isEmpty()) {
      String argument = rest.removeFirst();
      int equals = argument.indexOf('=');
      TritonFlag flag = find(equals < 0 ? argument : argument.substring(0, equals));
      values
          .computeIfAbsent(flag, _ -> new ArrayList<>())
          .add(equals < 0 ? valueBehind(flag, rest) : argument.substring(equals + 1));
    }
    return new TritonFlags(values);
  }

  private static TritonFlag find(String word) {
    return Arrays.stream(TritonFlag.values())
        .filter(flag -> flag.flag().equals(word))
        .findFirst()
        .orElseThrow(() ->
            new ConfigException(
                "unrecognized option '" + word + "'; sluice tritonserver --help lists them"));
  }

  private static String valueBehind(TritonFlag flag, List<String> rest) {
    boolean follows = !rest.isEmpty() && !rest.getFirst().startsWith("--");
    return switch (flag.kind()) {
      case SWITCH -> follows && truth(rest.getFirst()).isPresent() ? rest.removeFirst() : "true";
      case MEANINGLESS_SWITCH -> "true";
      case VALUE -> {
        if (!follows) {
          throw new ConfigException(flag.flag() + ": has no value");
        }
        yield rest.removeFirst();
      }
      case REFUSED, MEANINGLESS -> follows ? rest.removeFirst() : "true";
    };
  }

  private static Optional<Boolean> truth(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "true", "1", "on" -> Optional.of(true);
      case "false", "0", "off" -> Optional.of(false);
      default -> Optional.empty();
    };
  }

  /** Every value of a flag. */
  List<String> all(TritonFlag flag) {
    return values.getOrDefault(flag, List.of());
  }

  /** The last value of a flag; empty if it was not given. */
  Optional<String> text(TritonFlag flag) {
    return all(flag).isEmpty() ? Optional.empty() : Optional.of(all(flag).getLast());
  }

  boolean on(TritonFlag flag, boolean otherwise) {
    return text(flag)
        .map(word -> truth(word).orElseThrow(() -> wanted(flag, word, "true or false")))
        .orElse(otherwise);
  }

  long number(TritonFlag flag, long otherwise, long highest) {
    return text(flag)
        .map(word -> {
          if (!word.matches("\\d{1,18}") || Long.parseLong(word) > highest) {
            throw wanted(flag, word, "a whole number from 0 to " + highest);
          }
          return Long.parseLong(word);
        })
        .orElse(otherwise);
  }

  /** The flags of a kind that were given, as they are written. */
  List<TritonFlag> given(Kind kind) {
    return values.keySet().stream().filter(flag -> flag.kind() == kind).toList();
  }

  static ConfigException wanted(TritonFlag flag, String got, String wanted) {
    return new ConfigException(flag.flag() + " is " + got + "; wanted " + wanted);
  }
}
