package dev.sluice.inference.access;

import java.util.Locale;

/**
 * A right that a policy gives to identities: a group of {@link Operation operations}.
 *
 * <p>The roles are fixed; policies combine them. What belongs to a role is said at {@link
 * Operation}.
 */
public enum Role {
  INFERENCE,
  METADATA,
  METRICS,
  CONTROL,
  ADMIN,
  /** The use of memory that a caller shares with the server. */
  SHARED_MEMORY;

  /** Returns the role's name in settings and messages. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns whether operations of this role change what the server does for others, or reach beyond
   * their requests: no caller has it without a rule, and no page in a browser ever.
   */
  public boolean isControl() {
    return this == CONTROL || this == ADMIN || this == SHARED_MEMORY;
  }
}
