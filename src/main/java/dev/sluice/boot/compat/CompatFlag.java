package dev.sluice.boot.compat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A flag of another server's command: a constant of an enum, which is named as the flag is.
 *
 * <p>One command's flags are one enum, so that help, parsing and warnings come from the same list.
 * A flag that has no effect here is accepted and named in a warning; an unknown one is rejected, as
 * by the server that it belongs to.
 */
public interface CompatFlag {
  /** The effect of a flag. */
  enum Kind {
    VALUE,
    /** True if it stands alone. */
    SWITCH,
    /**
     * Leaving it out would grant access, or deny access that clients need: the server does not
     * start.
     */
    REFUSED,
    /** A warning says why it does nothing. */
    NO_EFFECT
  }

  /** Returns the effect of the flag here. */
  Kind kind();

  /** Returns what the flag is for; for one that is rejected or has no effect, the reason. */
  String text();

  /** Returns the constant's name, from which the flag's own is derived. */
  String name();

  /** Returns the flag as it is written. */
  default String flag() {
    return "--" + name().toLowerCase(Locale.ROOT);
  }

  /** Returns the flags that do something, as {@code --help} shows them. */
  static List<String> usage(String command, CompatFlag... flags) {
    List<String> lines = new ArrayList<>(List.of("usage: sluice " + command + " [flags]"));
    for (CompatFlag flag : flags) {
      if (flag.kind() == Kind.VALUE || flag.kind() == Kind.SWITCH) {
        lines.add("  " + flag.flag() + "  " + flag.text());
      }
    }
    return lines;
  }
}
