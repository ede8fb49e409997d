package dev.sluice.config;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One address the server listens on. It speaks HTTP/1.1, HTTP/2 and gRPC on the same port.
 *
 * @param host a name or address; loopback unless said otherwise
 * @param port 0 lets the system choose
 * @param protocols which protocols it carries
 * @param v1 whose dialect the shared V1 paths speak
 * @param metricsPath where the metrics page is, if the listener carries {@link Protocol#METRICS}
 * @param control whether control operations are allowed; always so on a loopback address
 * @param cors whether pages from other origins may ask, over HTTP
 * @param tls how it encrypts; empty: not at all
 */
public record ListenerConfig(
    String host,
    int port,
    Set<Protocol> protocols,
    V1Dialect v1,
    String metricsPath,
    boolean control,
    boolean cors,
    Optional<TlsConfig> tls) {
  /** A protocol's name in settings is its constant's in lower case. */
  public enum Protocol {
    TFS,
    KSERVE,
    OIP,
    GRPS,
    /** No protocol of models, but the page for Prometheus. */
    METRICS
  }

  /** Which keys the shared V1 paths write. */
  public enum V1Dialect {
    BOTH,
    TENSORFLOW,
    KSERVE
  }

  public static final ListenerConfig DEFAULT =
      new ListenerConfig(
          "localhost",
          8080,
          Set.of(Protocol.values()),
          V1Dialect.BOTH,
          "/metrics",
          false,
          false,
          Optional.empty());

  /** A name, an IPv4 address or an IPv6 address in brackets, and a port. */
  private static final Pattern ADDRESS =
      Pattern.compile("(?:\\[([0-9A-Fa-f:.%a-z]+)]|([^\\s:\\[\\]]+)):(\\d{1,5})");

  /** Parts of plain letters: what is compared with a request's path as it was sent. */
  private static final Pattern PATH = Pattern.compile("(?:/[A-Za-z0-9._~-]+)+");

  private static final int HIGHEST_PORT = 65_535;

  public ListenerConfig {
    protocols = Set.copyOf(protocols);
  }

  /** The same listener on another port. */
  public ListenerConfig withPort(int other) {
    return new ListenerConfig(host, other, protocols, v1, metricsPath, control, cors, tls);
  }

  /** As people write it. */
  public String address() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  static ListenerConfig read(Section listener) {
    Matcher address = address(listener);
    return new ListenerConfig(
        address.group(1) == null ? address.group(2) : address.group(1),
        Integer.parseInt(address.group(3)),
        new LinkedHashSet<>(
            listener.list(
                "protocols",
                List.of(Protocol.values()),
                protocol -> protocol.constant(Protocol.class))),
        listener.choice("v1", DEFAULT.v1),
        metricsPath(listener),
        listener.flag("control", DEFAULT.control),
        listener.flag("cors", DEFAULT.cors),
        listener.value("tls").map(tls -> tls.section().readAll(TlsConfig::read)));
  }

  private static String metricsPath(Section listener) {
    Optional<Setting> setting = listener.single("metrics_path");
    if (setting.isEmpty()) {
      return DEFAULT.metricsPath;
    }
    String path = setting.get().text();
    if (!PATH.matcher(path).matches()) {
      throw setting.get().wanted("a path such as /metrics or /monitoring/prometheus/metrics");
    }
    return path;
  }

  private static Matcher address(Section listener) {
    Setting setting =
        listener
            .single("address")
            .orElseThrow(() -> listener.error("has no address; wanted one such as localhost:8080"));
    Matcher address = ADDRESS.matcher(setting.text());
    if (!address.matches() || Integer.parseInt(address.group(3)) > HIGHEST_PORT) {
      throw setting.wanted("host:port, such as localhost:8080, 0.0.0.0:8080 or [::]:8080");
    }
    return address;
  }
}
