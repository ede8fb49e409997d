package dev.sluice.inference;

import java.util.Locale;

/** A right that a policy gives to identities: a group of {@link Operation operations}. */
public enum Role {
  INFERENCE,
  METADATA,
  METRICS,
  CONTROL,
  ADMIN;

  /** The role's name in settings and messages. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether operations of this role change what the server does for others. */
  public boolean isControl() {
    return this == CONTROL || this == ADMIN;
  }
}
