package dev.sluice.security;

import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/** The credentials that a request, or its connection, presents. Of the request's event loop. */
@FunctionalInterface
public interface Credentials {
  /** Returns a header or metadata entry by its name in lower case; null if there is none. */
  @Nullable String header(CharSequence name);

  /** Returns the certificate whose key the client has proved to have; null if there is none. */
  default @Nullable X509Certificate certificate() {
    return null;
  }

  /** Returns the process that has opened the connection; null if it has come by a port. */
  default @Nullable UnixPeer unixPeer() {
    return null;
  }
}
