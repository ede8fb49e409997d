package dev.sluice.config.otlp;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The OpenTelemetry collector that gets one kind of what the server tells of itself, by OTLP.
 *
 * @param endpoint address of a collector, which gets spans or metrics by OTLP; over HTTP, without a
 *     path it is {@code /v1/traces} or {@code /v1/metrics} there. Empty: none are sent
 * @param protocol how they are sent: by HTTP, which collectors have on port 4318, or by gRPC, on
 *     4317
 * @param headers headers of messages to the collector, each {@code name=value}
 */
public record CollectorConfig(Optional<URI> endpoint, Protocol protocol, List<String> headers) {
  /** What carries OTLP. */
  public enum Protocol {
    HTTP,
    GRPC
  }

  public static final CollectorConfig NONE =
      new CollectorConfig(Optional.empty(), Protocol.HTTP, List.of());

  public CollectorConfig {
    headers = List.copyOf(headers);
  }

  static CollectorConfig read(Section signal) {
    return new CollectorConfig(
        signal.single("endpoint").map(CollectorConfig::address),
        signal.choice("protocol", NONE.protocol),
        signal.list("headers", NONE.headers, CollectorConfig::pair));
  }

  private static URI address(Setting setting) {
    return address(setting.text())
        .orElseThrow(() -> setting.wanted("an address that begins with http:// or https://"));
  }

  /** Returns the address that a text is, if it is one that messages can be sent to. */
  static Optional<URI> address(String text) {
    try {
      URI address = URI.create(text.strip());
      String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
      boolean http = scheme.equals("http") || scheme.equals("https");
      return http && address.getHost() != null ? Optional.of(address) : Optional.empty();
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** Returns a text of the form {@code name=value}. */
  static String pair(Setting setting) {
    if (setting.text().indexOf('=') < 1) {
      throw setting.wanted("name=value");
    }
    return setting.text();
  }

  /** Returns pairs of {@code name=value} by their names; the last of a name counts. */
  public static Map<String, String> named(List<String> pairs) {
    Map<String, String> named = new LinkedHashMap<>();
    for (String pair : pairs) {
      int at = pair.indexOf('=');
      named.put(pair.substring(0, at).strip(), pair.substring(at + 1).strip());
    }
    return named;
  }
}
