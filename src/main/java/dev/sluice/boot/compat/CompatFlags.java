package dev.sluice.boot.compat;

import dev.sluice.boot.compat.CompatFlag.Kind;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.server.ListenerConfig.Protocol;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A command line of another server, taken apart: {@code --name=value}, {@code --name value}, and
 * switches that stand alone. One dash does too.
 *
 * @param values of the flags that were given, in their order
 * @param unknown what no flag is known by
 */
public record CompatFlags<F extends CompatFlag>(Map<F, List<String>> values, List<String> unknown) {
  /**
   * @param flags all that the command has
   * @throws ConfigException naming a flag that needs a value and has none
   */
  public static <F extends Enum<F> & CompatFlag> CompatFlags<F> parse(
      Class<F> flags, List<String> arguments) {
    Map<String, F> known =
        Arrays.stream(flags.getEnumConstants())
            .collect(Collectors.toMap(CompatFlag::flag, Function.identity()));
    Map<F, List<String>> values = new EnumMap<>(flags);
    List<String> unknown = new ArrayList<>();
    List<String> rest = new ArrayList<>(arguments);
    while (!rest.isEmpty()) {
      String argument = rest.removeFirst();
      int equals = argument.indexOf('=');
      String word = equals < 0 ? argument : argument.substring(0, equals);
      F flag = known.get(word.startsWith("--") ? word : "-" + word);
      if (flag == null) {
        unknown.add(argument);
      } else {
        values
            .computeIfAbsent(flag, _ -> new ArrayList<>())
            .add(equals < 0 ? valueBehind(flag, rest) : argument.substring(equals + 1));
      }
    }
    return new CompatFlags<>(values, unknown);
  }

  private static String valueBehind(CompatFlag flag, List<String> rest) {
    boolean follows = !rest.isEmpty() && !rest.getFirst().startsWith("--");
    return switch (flag.kind()) {
      case SWITCH -> follows && truth(rest.getFirst()).isPresent() ? rest.removeFirst() : "true";
      case VALUE -> {
        if (!follows) {
          throw new ConfigException(flag.flag() + ": has no value");
        }
        yield rest.removeFirst();
      }
      case REFUSED, NO_EFFECT -> follows ? rest.removeFirst() : "true";
    };
  }

  private static Optional<Boolean> truth(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "true", "1", "on" -> Optional.of(true);
      case "false", "0", "off" -> Optional.of(false);
      default -> Optional.empty();
    };
  }

  /** Returns every value of a flag. */
  List<String> all(F flag) {
    return values.getOrDefault(flag, List.of());
  }

  /** Returns the last value of a flag; empty if it was not given, or without a text. */
  public Optional<String> text(F flag) {
    List<String> all = all(flag);
    return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast()).filter(v -> !v.isEmpty());
  }

  /** Returns whether a flag is on. */
  public boolean on(F flag, boolean otherwise) {
    return text(flag)
        .map(word -> truth(word).orElseThrow(() -> wanted(flag, word, "true or false")))
        .orElse(otherwise);
  }

  /** Returns the control operations that a flag opens; without it, those of the policy. */
  ControlAccess control(F flag) {
    return text(flag)
        .map(text -> ControlAccess.parse(flag.flag(), text))
        .orElse(ControlAccess.POLICY);
  }

  /** Returns the protocols that a flag names, separated by commas; none without it. */
  Set<Protocol> protocols(F flag) {
    return text(flag).map(list -> protocols(flag.flag(), list)).orElse(Set.of());
  }

  /**
   * Reads names of protocols, separated by commas.
   *
   * @param flag that they were given to
   * @throws ConfigException naming the flag and the word that is no protocol
   */
  public static Set<Protocol> protocols(String flag, String list) {
    Set<Protocol> protocols = EnumSet.noneOf(Protocol.class);
    for (String word : list.split(",", -1)) {
      protocols.add(
          Stream.of(Protocol.values())
              .filter(protocol -> protocol.name().toLowerCase(Locale.ROOT).equals(word.strip()))
              .findFirst()
              .orElseThrow(() ->
                  new ConfigException(
                      "%s is %s; wanted kserve, oip, grps, brpc, openai, metrics or tfs"
                          .formatted(flag, word))));
    }
    return protocols;
  }

  long number(F flag, long otherwise, long lowest, long highest) {
    return text(flag).map(word -> number(flag, word, lowest, highest)).orElse(otherwise);
  }

  private static long number(CompatFlag flag, String word, long lowest, long highest) {
    String wanted = "a whole number from " + lowest + " to " + highest;
    if (!word.matches("-?\\d{1,18}")) {
      throw wanted(flag, word, wanted);
    }
    long number = Long.parseLong(word);
    if (number < lowest || number > highest) {
      throw wanted(flag, word, wanted);
    }
    return number;
  }

  /**
   * @throws ConfigException naming a flag that asks for what is not served
   */
  void refuse() {
    for (F flag : given(Kind.REFUSED)) {
      if (!text(flag).orElse("false").equalsIgnoreCase("false")) {
        throw new ConfigException(flag.flag() + " is not served here: " + flag.text());
      }
    }
  }

  /** Returns the flags of some kinds that were given. */
  List<F> given(Kind... kinds) {
    return values.keySet().stream()
        .filter(flag -> Arrays.asList(kinds).contains(flag.kind()))
        .toList();
  }

  static ConfigException wanted(CompatFlag flag, String got, String wanted) {
    return new ConfigException(flag.flag() + " is " + got + "; wanted " + wanted);
  }
}
