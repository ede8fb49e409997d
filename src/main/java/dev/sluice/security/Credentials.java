package dev.sluice.security;

import org.jspecify.annotations.Nullable;

/** What a request presents of itself. Of the request's event loop. */
@FunctionalInterface
public interface Credentials {
  /** Of a request that presents nothing. */
  Credentials NONE = _ -> null;

  /** A header or metadata entry by its name in lower case; null if there is none. */
  @Nullable String header(CharSequence name);
}
