package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.SocketAccess;
import dev.sluice.config.security.TlsConfig;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One address the server listens on. It speaks HTTP/1.1, HTTP/2 and gRPC on the same port.
 *
 * @param host address to listen on: a host name or IP address and a port. {@code 0.0.0.0:8080} and
 *     {@code [::]:8080} are open to the network; port 0 lets the system choose; {@code
 *     unix:/run/sluice.sock} is a Unix domain socket, for the server's own user only. {@code
 *     --listen HOST:PORT} and {@code SLUICE_LISTEN=HOST:PORT,HOST:PORT} replace the whole list
 * @param port 0 lets the system choose; meaningless for a Unix domain socket
 * @param protocols protocols that the listener serves. {@code brpc} is grps over brpc, never with
 *     TLS; {@code openai} is the interface of OpenAI's language models; {@code metrics} is the page
 *     for Prometheus
 * @param v1 dialect of the shared V1 paths: which keys and texts their responses have
 * @param metricsPath path of the metrics page, if {@code protocols} has {@code metrics}. At {@code
 *     /monitoring/prometheus/metrics} it answers as TensorFlow Serving does: any method, but no
 *     query
 * @param control control operations that every caller may use on this listener. {@code true}: all;
 *     a list: these; {@code false}: none, whatever the policy says; empty: what the policy says
 * @param cors whether pages of other origins may send requests, over HTTP and gRPC-Web. Never for
 *     control operations
 * @param allowedHosts host names that requests may name besides localhost and the listener's
 *     address. Other hosts are answered with 421 on loopback, and wherever names are given; {@code
 *     "*"} allows every name, for a listener behind a proxy that checks them
 * @param socketAccess permissions of a Unix domain socket
 * @param tls certificate and key with which the listener encrypts; empty: it does not
 */
public record ListenerConfig(
    String host,
    int port,
    Set<Protocol> protocols,
    V1Dialect v1,
    String metricsPath,
    ControlAccess control,
    boolean cors,
    Optional<TlsConfig> tls,
    List<String> allowedHosts,
    SocketAccess socketAccess) {
  /** A protocol's name in settings is its constant's in lower case. */
  public enum Protocol {
    TFS,
    KSERVE,
    OIP,
    GRPS,
    /** grps over brpc: only unencrypted. */
    BRPC,
    /** The interface of OpenAI's language models. */
    OPENAI,
    /** No protocol of models, but the page for Prometheus. */
    METRICS
  }

  /** The keys that the shared V1 paths write. */
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
          ControlAccess.POLICY,
          false,
          Optional.empty());

  /** In {@link #allowedHosts}: every host name is answered. */
  public static final String ANY_HOST = "*";

  /** For a listener behind a proxy, which answers for the host names. */
  public static final List<String> EVERY_HOST = List.of(ANY_HOST);

  /** A host name, an IPv4 address, an IPv6 address in brackets, or any. */
  private static final Pattern HOST =
      Pattern.compile("\\*|[A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]+]");

  private static final String UNIX = "unix:";

  /** A Unix domain socket; the system takes no longer paths. */
  private static final Pattern SOCKET = Pattern.compile("unix:/[^\\x00-\\x1F]{1,106}");

  /** A name, an IPv4 address or an IPv6 address in brackets, and a port. */
  private static final Pattern ADDRESS =
      Pattern.compile("(?:\\[([0-9A-Fa-f:.%a-z]+)]|([^\\s:\\[\\]]+)):(\\d{1,5})");

  /** Parts of plain letters: what is compared with a request's path as it was sent. */
  private static final Pattern PATH = Pattern.compile("(?:/[A-Za-z0-9._~-]+)+");

  private static final int HIGHEST_PORT = 65_535;

  public ListenerConfig {
    protocols = Set.copyOf(protocols);
    allowedHosts = List.copyOf(allowedHosts);
  }

  /** A listener with the usual host names and a socket for its owner only. */
  public ListenerConfig(
      String host,
      int port,
      Set<Protocol> protocols,
      V1Dialect v1,
      String metricsPath,
      ControlAccess control,
      boolean cors,
      Optional<TlsConfig> tls) {
    this(host, port, protocols, v1, metricsPath, control, cors, tls, List.of(), SocketAccess.OWNER);
  }

  /** Returns the same listener, addressed by other names. */
  public ListenerConfig withAllowedHosts(List<String> names) {
    return new ListenerConfig(
        host, port, protocols, v1, metricsPath, control, cors, tls, names, socketAccess);
  }

  /** Returns the same listener, encrypted otherwise. */
  public ListenerConfig withTls(Optional<TlsConfig> other) {
    return new ListenerConfig(
        host, port, protocols, v1, metricsPath, control, cors, other, allowedHosts, socketAccess);
  }

  /** Returns the same listener on another port. */
  public ListenerConfig withPort(int other) {
    return new ListenerConfig(
        host, other, protocols, v1, metricsPath, control, cors, tls, allowedHosts, socketAccess);
  }

  /** Returns the same listener with other control. */
  public ListenerConfig with(ControlAccess other) {
    return new ListenerConfig(
        host, port, protocols, v1, metricsPath, other, cors, tls, allowedHosts, socketAccess);
  }

  /** Returns the Unix domain socket it listens on; empty if it listens on a port. */
  public Optional<Path> socket() {
    return host.startsWith(UNIX)
        ? Optional.of(Path.of(host.substring(UNIX.length())))
        : Optional.empty();
  }

  /** Returns the address as it is written in settings. */
  public String address() {
    if (host.startsWith(UNIX)) {
      return host;
    }
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /** Reads the settings of a listener. */
  public static ListenerConfig read(Section listener) {
    var read = addressed(listener);
    if (read.tls.isPresent()
        && listener.value("protocols").isPresent()
        && read.protocols.contains(Protocol.BRPC)) {
      throw listener.error(
          "protocols", "name brpc, which cannot be encrypted; wanted no tls, or no brpc");
    }
    return read;
  }

  /** Returns the admin listener: control is open there unless it says otherwise. */
  public static ListenerConfig readAdmin(Section admin) {
    ListenerConfig read = read(admin);
    return admin.value("control").isPresent() ? read : read.with(ControlAccess.OPEN);
  }

  private static ListenerConfig addressed(Section listener) {
    String written = listener.text("address").orElse("");
    if (SOCKET.matcher(written).matches()) {
      return read(listener, written, 0);
    }
    Matcher address = address(listener);
    String host = address.group(1) == null ? address.group(2) : address.group(1);
    return read(listener, host, Integer.parseInt(address.group(3)));
  }

  private static ListenerConfig read(Section listener, String host, int port) {
    return new ListenerConfig(
        host,
        port,
        new LinkedHashSet<>(
            listener.list(
                "protocols",
                List.of(Protocol.values()),
                protocol -> protocol.constant(Protocol.class))),
        listener.choice("v1", DEFAULT.v1),
        metricsPath(listener),
        listener
            .single("control", ControlAccess.WANTED, "")
            .map(ControlAccess::read)
            .orElse(DEFAULT.control),
        listener.flag("cors", DEFAULT.cors),
        listener.value("tls").map(tls -> tls.section().readAll(TlsConfig::read)),
        allowedHosts(listener, host),
        SocketAccess.read(listener, host.startsWith(UNIX)));
  }

  private static List<String> allowedHosts(Section listener, String host) {
    List<String> names =
        listener.list(
            "allowed_hosts",
            List.of(),
            name ->
                name.matching(HOST, "a host name without a port, such as sluice.local, or \"*\""));
    if (!names.isEmpty() && host.startsWith(UNIX)) {
      throw listener.error(
          "allowed_hosts", "is for ports: no browser reaches a Unix domain socket; wanted none");
    }
    return names;
  }

  private static String metricsPath(Section listener) {
    Optional<Setting> setting = listener.single("metrics_path", "a path", DEFAULT.metricsPath);
    if (setting.isEmpty()) {
      return DEFAULT.metricsPath;
    }
    String path = setting.get().text();
    if (!isMetricsPath(path)) {
      throw setting.get().wanted("a path such as /metrics or /monitoring/prometheus/metrics");
    }
    return path;
  }

  /** Returns whether metrics may be served at a path. */
  public static boolean isMetricsPath(String path) {
    return PATH.matcher(path).matches();
  }

  /**
   * Returns the same protocols on any port of the loopback interface, where nothing is controlled.
   */
  public ListenerConfig onLoopback() {
    return new ListenerConfig(
        "localhost",
        0,
        protocols,
        v1,
        metricsPath,
        ControlAccess.NEVER,
        cors,
        tls,
        List.of(),
        socketAccess);
  }

  /** Returns a listener on a Unix domain socket with the other settings of this one. */
  public ListenerConfig onSocket(Path path) {
    return new ListenerConfig(
        UNIX + path.toAbsolutePath(),
        0,
        protocols,
        v1,
        metricsPath,
        control,
        cors,
        tls,
        List.of(),
        socketAccess);
  }

  private static Matcher address(Section listener) {
    Setting setting =
        listener
            .single("address", "host:port, or unix:/path", DEFAULT.address())
            .orElseThrow(() -> listener.missing("address", "one such as localhost:8080"));
    Matcher address = ADDRESS.matcher(setting.text());
    if (!address.matches() || Integer.parseInt(address.group(3)) > HIGHEST_PORT) {
      throw setting.wanted(
          "host:port, such as localhost:8080, 0.0.0.0:8080, [::]:8080 or unix:/path");
    }
    return address;
  }
}
