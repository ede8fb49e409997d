package dev.sluice.config;

import java.util.Set;

/**
 * One address the server listens on. It speaks HTTP/1.1, HTTP/2 and gRPC on the same port.
 *
 * @param host a name or address; loopback unless said otherwise
 * @param port 0 lets the system choose
 * @param protocols which protocols it carries
 * @param v1 whose dialect the shared V1 paths speak
 * @param control whether control operations are allowed; always so on a loopback address
 */
public record ListenerConfig(
    String host, int port, Set<Protocol> protocols, V1Dialect v1, boolean control) {
  /** A protocol's name in settings is its constant's in lower case. */
  public enum Protocol {
    TFS,
    KSERVE,
    OIP,
    GRPS
  }

  /** Which keys the shared V1 paths write. */
  public enum V1Dialect {
    BOTH,
    TENSORFLOW,
    KSERVE
  }

  public static final ListenerConfig DEFAULT =
      new ListenerConfig("localhost", 8080, Set.of(Protocol.values()), V1Dialect.BOTH, false);

  public ListenerConfig {
    protocols = Set.copyOf(protocols);
  }

  /** As people write it. */
  public String address() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
