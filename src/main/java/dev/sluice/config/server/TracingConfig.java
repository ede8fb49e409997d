package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What the server tells of single requests: spans by OpenTelemetry, and {@code Server-Timing}.
 *
 * @param serverTiming answers that tell how long each stage took, in {@code Server-Timing}: those
 *     to requests with {@code x-server-timing: 1}, all, or none
 * @param endpoint address of a collector, which gets spans by OTLP; over HTTP, without a path it is
 *     {@code /v1/traces} there. Empty: no request has spans
 * @param protocol how they are sent: by HTTP, which collectors have on port 4318, or by gRPC, on
 *     4317
 * @param headers headers of messages to the collector, each {@code name=value}
 * @param samplingRatio part of the requests that have spans, 0 to 1
 * @param parentBased whether a caller that sends the context of a span (W3C, B3, brpc) decides by
 *     it whether its requests have spans, instead of the ratio
 * @param serviceName name of the server in spans
 * @param resource further attributes of the server in spans, each {@code name=value}
 */
public record TracingConfig(
    Timing serverTiming,
    Optional<URI> endpoint,
    Protocol protocol,
    List<String> headers,
    double samplingRatio,
    boolean parentBased,
    String serviceName,
    List<String> resource) {
  /** The answers that tell their times. */
  public enum Timing {
    OFF,
    REQUESTED,
    ALWAYS
  }

  /** What carries OTLP. */
  public enum Protocol {
    HTTP,
    GRPC
  }

  public static final TracingConfig DEFAULT = new TracingConfig(Timing.REQUESTED);

  public TracingConfig {
    headers = List.copyOf(headers);
    resource = List.copyOf(resource);
  }

  /** Without spans. */
  public TracingConfig(Timing serverTiming) {
    this(serverTiming, Optional.empty(), Protocol.HTTP, List.of(), 1, true, "sluice", List.of());
  }

  /** Reads the settings of traces. */
  public static TracingConfig read(Section tracing) {
    return new TracingConfig(
        tracing.choice("server_timing", DEFAULT.serverTiming),
        tracing.single("endpoint").map(TracingConfig::address),
        tracing.choice("protocol", DEFAULT.protocol),
        tracing.list("headers", DEFAULT.headers, TracingConfig::pair),
        tracing.decimal("sampling_ratio", DEFAULT.samplingRatio, 0, 1),
        tracing.flag("parent_based", DEFAULT.parentBased),
        tracing.text("service_name", DEFAULT.serviceName),
        tracing.list("resource", DEFAULT.resource, TracingConfig::pair));
  }

  private static URI address(Setting setting) {
    return address(setting.text())
        .orElseThrow(() -> setting.wanted("an address that begins with http:// or https://"));
  }

  /** Returns the address that a text is, if it is one that spans can be sent to. */
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

  private static String pair(Setting setting) {
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
