package dev.sluice.ops.openapi;

import java.util.Locale;

/** A part of the server's HTTP that a listener may carry or not. */
public enum ApiPart {
  TFS,
  KSERVE,
  OIP,
  OPENAI,
  GRPS,
  METRICS,
  CONSOLE,
  SHARED_MEMORY;

  /** Returns the part that templates name so. */
  static ApiPart of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }
}
