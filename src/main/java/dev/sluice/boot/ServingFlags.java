package dev.sluice.boot;

import dev.sluice.boot.ServingFlag.Kind;
import dev.sluice.config.ConfigException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command line of {@code tensorflow_model_server}, taken apart: {@code --name=value}, {@code
 * --name value}, and switches that stand alone.
 *
 * @param values of the flags that were given, the last of each
 * @param xla flags of TensorFlow's compiler, of which there are many
 * @param unknown what no flag is known by
 */
record ServingFlags(Map<ServingFlag, String> values, List<String> xla, List<String> unknown) {
  private static final Pattern XLA = Pattern.compile("(--?xla_\\w+)(=.*)?");

  static ServingFlags parse(List<String> arguments) {
    Map<ServingFlag, String> values = new EnumMap<>(ServingFlag.class);
    List<String> xla = new ArrayList<>();
    List<String> unknown = new ArrayList<>();
    List<String> rest = new ArrayList<>(arguments);
    while (!rest.isEmpty()) {
      String argument = rest.removeFirst();
      int equals = argument.indexOf('=');
      Optional<ServingFlag> flag = find(equals < 0 ? argument : argument.substring(0, equals));
      Matcher compiler = XLA.matcher(argument);
      if (compiler.matches()) {
        xla.add(compiler.group(1));
      } else if (flag.isEmpty()) {
        unknown.add(argument);
      } else if (equals >= 0) {
        values.put(flag.get(), argument.substring(equals + 1));
      } else {
        values.put(flag.get(), valueBehind(flag.get(), rest));
      }
    }
    return new ServingFlags(values, xla, unknown);
  }

  /** One dash does too, as it does there. */
  private static Optional<ServingFlag> find(String word) {
    String name = word.replaceFirst("^--?", "");
    return Arrays.stream(ServingFlag.values())
        .filter(flag -> word.startsWith("-"))
        .filter(flag -> flag.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst();
  }

  private static String valueBehind(ServingFlag flag, List<String> rest) {
    boolean follows = !rest.isEmpty() && !rest.getFirst().startsWith("--");
    if (flag.kind() == Kind.SWITCH) {
      return follows && rest.getFirst().matches("true|false|0|1") ? rest.removeFirst() : "true";
    }
    if (follows) {
      return rest.removeFirst();
    }
    if (flag.kind() == Kind.VALUE) {
      throw new ConfigException(flag.flag() + ": has no value");
    }
    return "true";
  }

  /** Empty if it was not given, or without a text. */
  Optional<String> text(ServingFlag flag) {
    return Optional.ofNullable(values.get(flag)).filter(value -> !value.isEmpty());
  }

  boolean on(ServingFlag flag) {
    return text(flag)
        .map(value ->
            switch (value.toLowerCase(Locale.ROOT)) {
              case "true", "1" -> true;
              case "false", "0" -> false;
              default -> throw wanted(flag, value, "true or false");
            })
        .orElse(false);
  }

  long number(ServingFlag flag, long otherwise, long lowest, long highest) {
    return text(flag)
        .map(value -> {
          String wanted = "a whole number from " + lowest + " to " + highest;
          if (!value.matches("-?\\d{1,18}")) {
            throw wanted(flag, value, wanted);
          }
          long number = Long.parseLong(value);
          if (number < lowest || number > highest) {
            throw wanted(flag, value, wanted);
          }
          return number;
        })
        .orElse(otherwise);
  }

  /** The flags of a kind that were given, as they are written. */
  List<ServingFlag> given(Kind kind) {
    return values.keySet().stream().filter(flag -> flag.kind() == kind).toList();
  }

  private static ConfigException wanted(ServingFlag flag, String got, String wanted) {
    return new ConfigException(flag.flag() + " is " + got + "; wanted " + wanted);
  }
}
