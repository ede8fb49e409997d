package dev.sluice.config.compat.grps;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A grps deployment's {@code server.yml}.
 *
 * @param listeners where it listens, for grps alone: to add other protocols, name listeners of his
 *     own. As there, anyone may put the server online and offline.
 * @param customHttp how predictions are asked for over HTTP besides; empty: in no other way
 * @param maxConnections requests under way at once
 * @param maxConcurrency predictions that run at once
 * @param text the file, written out again
 * @param unused full names of keys that change nothing here
 */
record GrpsServerFile(
    List<ListenerConfig> listeners,
    Optional<GrpsCustomHttp> customHttp,
    int maxConnections,
    int maxConcurrency,
    String text,
    List<String> unused) {
  private static final int MOST = 1_000_000;
  private static final int HIGHEST_PORT = 65_535;
  private static final String HOST = "\\d{1,3}(\\.\\d{1,3}){3}";

  /** The protocol of a port, by the words of the file. */
  private enum Framework {
    HTTP(1),
    HTTP_GRPC(2),
    HTTP_BRPC(2);

    private final int ports;

    Framework(int ports) {
      this.ports = ports;
    }

    String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '+');
    }

    static Framework of(Setting setting) {
      for (Framework framework : values()) {
        if (framework.word().equals(setting.text())) {
          return framework;
        }
      }
      throw setting.wanted("http, http+grpc or http+brpc");
    }

    Set<Protocol> protocols(int port) {
      return this == HTTP_BRPC && port == 1
          ? EnumSet.of(Protocol.GRPS, Protocol.BRPC)
          : EnumSet.of(Protocol.GRPS);
    }
  }

  static GrpsServerFile read(Path path) {
    GrpsFile file = GrpsFile.open(path);
    Section root = file.root();
    Section listening = GrpsFile.required(root, "interface", "a table").section();
    List<ListenerConfig> listeners = listeners(listening);
    Optional<GrpsCustomHttp> customHttp =
        GrpsFile.table(listening, "customized_predict_http")
            .map(custom -> GrpsCustomHttp.read(custom, file));
    file.noteUnread(listening);
    int connections = limit(root, "max_connections");
    int concurrency = limit(root, "max_concurrency");
    root.value("log").ifPresent(file::noteUnused);
    root.value("gpu").ifPresent(file::noteUnused);
    file.noteUnread(root);
    return new GrpsServerFile(
        listeners, customHttp, connections, concurrency, file.text(), file.unused());
  }

  private static int limit(Section root, String key) {
    return GrpsFile.required(root, key, "a whole number").number(1, MOST);
  }

  private static List<ListenerConfig> listeners(Section listening) {
    Framework framework =
        Framework.of(GrpsFile.required(listening, "framework", "http, http+grpc or http+brpc"));
    Setting host = GrpsFile.required(listening, "host", "an IPv4 address such as 0.0.0.0");
    if (!host.text().matches(HOST)) {
      throw host.wanted("an IPv4 address such as 0.0.0.0");
    }
    List<ListenerConfig> listeners = new ArrayList<>();
    for (int port : ports(listening, framework)) {
      listeners.add(
          new ListenerConfig(
              host.text(),
              port,
              framework.protocols(listeners.size()),
              ListenerConfig.DEFAULT.v1(),
              ListenerConfig.DEFAULT.metricsPath(),
              ControlAccess.open(ControlAccess.Operation.ONLINE, ControlAccess.Operation.OFFLINE),
              false,
              Optional.empty()));
    }
    return listeners;
  }

  private static List<Integer> ports(Section listening, Framework framework) {
    String wanted =
        framework.ports == 1
            ? "one port, such as 7080, for framework http"
            : "two ports, such as 7080,7081, for framework " + framework.word();
    Setting setting = GrpsFile.required(listening, "port", wanted);
    List<Integer> ports = new ArrayList<>();
    for (String port : setting.text().replaceAll("\\s", "").split(",", -1)) {
      if (!port.matches("\\d{1,5}")
          || Integer.parseInt(port) > HIGHEST_PORT
          || ports.contains(Integer.valueOf(port))) {
        throw setting.wanted(wanted);
      }
      ports.add(Integer.valueOf(port));
    }
    if (ports.size() != framework.ports) {
      throw setting.wanted(wanted);
    }
    return ports;
  }
}
