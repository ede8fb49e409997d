package dev.sluice.config.server;

import dev.sluice.config.server.TracingConfig.Protocol;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settings of traces from the environment variables that OpenTelemetry's specification names, which
 * its operator for Kubernetes sets. They hold where {@code tracing.*} says nothing.
 *
 * @param environment of the process
 * @param warnings receives probable mistakes
 */
public record OtelEnvironment(Map<String, String> environment, Consumer<String> warnings) {
  /** Returns settings, with what the environment says where they are the defaults. */
  public TracingConfig complete(TracingConfig set) {
    TracingConfig none = TracingConfig.DEFAULT;
    boolean unset =
        set.samplingRatio() == none.samplingRatio() && set.parentBased() == none.parentBased();
    String sampler = unset ? value("OTEL_TRACES_SAMPLER") : null;
    boolean carried = set.endpoint().isPresent() || set.protocol() != none.protocol();
    return new TracingConfig(
        set.serverTiming(),
        set.endpoint().or(this::endpoint),
        carried ? set.protocol() : protocol().orElse(none.protocol()),
        set.headers().isEmpty() ? headers() : set.headers(),
        sampler == null ? set.samplingRatio() : ratio(sampler),
        sampler == null ? set.parentBased() : sampler.startsWith("parentbased_"),
        serviceName(set.serviceName()),
        Stream.concat(pairs(value("OTEL_RESOURCE_ATTRIBUTES")), set.resource().stream()).toList());
  }

  private @Nullable String value(String name) {
    String value = environment.get(name);
    return value == null || value.isBlank() ? null : value.strip();
  }

  private Optional<URI> endpoint() {
    boolean off =
        "true".equalsIgnoreCase(value("OTEL_SDK_DISABLED"))
            || "none".equals(value("OTEL_TRACES_EXPORTER"));
    Optional<Protocol> protocol = protocol();
    String text = address(protocol);
    if (off || text == null) {
      return Optional.empty();
    }
    if (protocol.isEmpty()) {
      warnings.accept(
          "no spans are exported: OTEL_EXPORTER_OTLP_PROTOCOL is %s; wanted http/protobuf or grpc"
              .formatted(protocolName()));
      return Optional.empty();
    }
    Optional<URI> address = TracingConfig.address(text);
    if (address.isEmpty()) {
      warnings.accept("no spans are exported: '" + text + "' is no address of a collector");
    }
    return address;
  }

  private String protocolName() {
    return Optional.ofNullable(value("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"))
        .or(() -> Optional.ofNullable(value("OTEL_EXPORTER_OTLP_PROTOCOL")))
        .orElse("http/protobuf");
  }

  /** Returns what carries spans; empty if it is nothing that is there. */
  private Optional<Protocol> protocol() {
    return switch (protocolName()) {
      case "http/protobuf" -> Optional.of(Protocol.HTTP);
      case "grpc" -> Optional.of(Protocol.GRPC);
      default -> Optional.empty();
    };
  }

  /** Only over HTTP is the address of all signals a folder. */
  private @Nullable String address(Optional<Protocol> protocol) {
    String traces = value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    String all = value("OTEL_EXPORTER_OTLP_ENDPOINT");
    if (traces != null || all == null || protocol.equals(Optional.of(Protocol.GRPC))) {
      return traces == null ? all : traces;
    }
    return all + (all.endsWith("/") ? "" : "/") + "v1/traces";
  }

  private List<String> headers() {
    String traces = value("OTEL_EXPORTER_OTLP_TRACES_HEADERS");
    return pairs(traces == null ? value("OTEL_EXPORTER_OTLP_HEADERS") : traces).toList();
  }

  private String serviceName(String set) {
    String name = value("OTEL_SERVICE_NAME");
    return name != null && set.equals(TracingConfig.DEFAULT.serviceName()) ? name : set;
  }

  private Stream<String> pairs(@Nullable String text) {
    return text == null
        ? Stream.empty()
        : Arrays.stream(text.split(",", -1))
            .filter(pair -> pair.indexOf('=') > 0)
            .flatMap(pair -> decoded(pair).stream());
  }

  /** Values are percent-encoded, as in W3C Baggage. */
  private Optional<String> decoded(String pair) {
    try {
      return Optional.of(URLDecoder.decode(pair.replace("+", "%2B"), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException _) {
      String key = pair.substring(0, pair.indexOf('='));
      warnings.accept("the value of " + key + " for OpenTelemetry is not percent-encoded text");
      return Optional.empty();
    }
  }

  private double ratio(String sampler) {
    String rest = sampler.replaceFirst("^parentbased_", "");
    return switch (rest) {
      case "always_on" -> 1;
      case "always_off" -> 0;
      case "traceidratio" -> part(value("OTEL_TRACES_SAMPLER_ARG"));
      default -> {
        warnings.accept(
            "OTEL_TRACES_SAMPLER is " + sampler + ", which is not known; all is sampled");
        yield 1;
      }
    };
  }

  private double part(@Nullable String text) {
    try {
      double part = text == null ? 1 : Double.parseDouble(text);
      return Double.isFinite(part) ? Math.clamp(part, 0, 1) : 1;
    } catch (NumberFormatException _) {
      warnings.accept("OTEL_TRACES_SAMPLER_ARG is '" + text + "'; wanted a number from 0 to 1");
      return 1;
    }
  }
}
