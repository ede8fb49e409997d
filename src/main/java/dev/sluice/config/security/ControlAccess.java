package dev.sluice.config.security;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.Setting;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The control and administration that a listener allows, besides what the policy says.
 *
 * @param never whether all of it is forbidden there, whatever the policy says
 * @param open what everybody may do there, without a credential
 */
public record ControlAccess(boolean never, Set<Operation> open) {
  /** An operation of the roles control and admin. */
  public enum Operation {
    LOAD,
    UNLOAD,
    RELOAD,
    ONLINE,
    OFFLINE,
    LOGGING,
    TRACING,
    SHARED_MEMORY;

    /** Returns the operation's name in settings. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Only what the policy says. */
  public static final ControlAccess POLICY = new ControlAccess(false, Set.of());

  /** Nothing is allowed. */
  public static final ControlAccess NEVER = new ControlAccess(true, Set.of());

  /** All of it for everybody. */
  public static final ControlAccess OPEN = new ControlAccess(false, EnumSet.allOf(Operation.class));

  public static final String WANTED = "true, false, or a list of " + names();

  public ControlAccess {
    open = Set.copyOf(open);
  }

  /** Everybody may do these, without a credential. */
  public static ControlAccess open(Operation... operations) {
    return new ControlAccess(false, Set.of(operations));
  }

  public static ControlAccess read(Setting setting) {
    List<String> words = setting.elements().stream().map(Setting::text).toList();
    return parse(words, () -> setting.wanted(WANTED));
  }

  /**
   * Reads what a command line says: {@code true}, {@code false}, or operations with commas between
   * them.
   *
   * @param flag what to call it in complaints
   * @throws ConfigException naming the flag, what was got and what is wanted
   */
  public static ControlAccess parse(String flag, String text) {
    return parse(
        List.of(text.split(",", -1)),
        () -> new ConfigException(flag + " is " + text + "; wanted " + WANTED));
  }

  private static ControlAccess parse(
      List<String> words, java.util.function.Supplier<ConfigException> wrong) {
    if (words.equals(List.of("true"))) {
      return OPEN;
    }
    if (words.equals(List.of("false"))) {
      return NEVER;
    }
    Set<Operation> open = EnumSet.noneOf(Operation.class);
    for (String word : words) {
      open.add(
          Arrays.stream(Operation.values())
              .filter(operation -> operation.text().equals(word.strip()))
              .findFirst()
              .orElseThrow(wrong));
    }
    return new ControlAccess(false, open);
  }

  private static String names() {
    return Arrays.stream(Operation.values()).map(Operation::text).collect(Collectors.joining(", "));
  }
}
