package dev.sluice.config.otlp;

import dev.sluice.config.otlp.CollectorConfig.Protocol;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settings of what is sent to a collector, from the environment variables that OpenTelemetry's
 * specification names, which its operator for Kubernetes sets. They hold where {@code tracing.*}
 * and {@code metrics_export.*} say nothing.
 *
 * @param environment of the process
 * @param warnings receives probable mistakes
 */
public record OtelEnvironment(Map<String, String> environment, Consumer<String> warnings) {
  private static final String OTLP = "OTEL_EXPORTER_OTLP_";
  private static final String INTERVAL = "OTEL_METRIC_EXPORT_INTERVAL";

  /** What is sent has variables of its own, before which those of all signals give way. */
  private enum Signal {
    TRACES("spans"),
    METRICS("metrics");

    private final String sent;

    Signal(String sent) {
      this.sent = sent;
    }

    /** Returns the name of its own variable. */
    String variable(String setting) {
      return OTLP + name() + "_" + setting;
    }

    String path() {
      return "v1/" + name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns settings, with what the environment says where they are the defaults. */
  public TracingConfig complete(TracingConfig set) {
    TracingConfig none = TracingConfig.DEFAULT;
    boolean unset =
        set.samplingRatio() == none.samplingRatio() && set.parentBased() == none.parentBased();
    String sampler = unset ? value("OTEL_TRACES_SAMPLER") : null;
    return new TracingConfig(
        set.serverTiming(),
        complete(set.collector(), Signal.TRACES),
        sampler == null ? set.samplingRatio() : ratio(sampler),
        sampler == null ? set.parentBased() : sampler.startsWith("parentbased_"),
        serviceName(set.serviceName()),
        Stream.concat(pairs(value("OTEL_RESOURCE_ATTRIBUTES")), set.resource().stream()).toList());
  }

  /** Returns settings, with what the environment says where they are the defaults. */
  public MetricsExportConfig complete(MetricsExportConfig set) {
    CollectorConfig collector = complete(set.collector(), Signal.METRICS);
    if (collector.endpoint().isEmpty()) {
      return set;
    }
    String temporality = value(Signal.METRICS.variable("TEMPORALITY_PREFERENCE"));
    if (temporality != null && !temporality.equalsIgnoreCase("cumulative")) {
      warnings.accept(
          Signal.METRICS.variable("TEMPORALITY_PREFERENCE")
              + (" is '" + temporality + "'; exported metrics are cumulative"));
    }
    boolean unset = set.interval().equals(MetricsExportConfig.DEFAULT.interval());
    return new MetricsExportConfig(collector, unset ? interval() : set.interval());
  }

  private CollectorConfig complete(CollectorConfig set, Signal signal) {
    CollectorConfig none = CollectorConfig.NONE;
    boolean carried = set.endpoint().isPresent() || set.protocol() != none.protocol();
    return new CollectorConfig(
        set.endpoint().or(() -> endpoint(signal)),
        carried ? set.protocol() : protocol(signal).orElse(none.protocol()),
        set.headers().isEmpty() ? headers(signal) : set.headers());
  }

  private @Nullable String value(String name) {
    String value = environment.get(name);
    return value == null || value.isBlank() ? null : value.strip();
  }

  /** Returns the value for a signal: its own, or that of all. */
  private @Nullable String value(Signal signal, String setting) {
    String own = value(signal.variable(setting));
    return own == null ? value(OTLP + setting) : own;
  }

  private Optional<URI> endpoint(Signal signal) {
    String text = isOff(signal) ? null : address(signal);
    if (text == null) {
      return Optional.empty();
    }
    if (protocol(signal).isEmpty()) {
      warnings.accept(
          "no %s are exported: OTEL_EXPORTER_OTLP_PROTOCOL is %s; wanted http/protobuf or grpc"
              .formatted(signal.sent, protocolName(signal)));
      return Optional.empty();
    }
    Optional<URI> address = CollectorConfig.address(text);
    if (address.isEmpty()) {
      warnings.accept(
          "no %s are exported: '%s' is no address of a collector".formatted(signal.sent, text));
    }
    return address;
  }

  /** Other exporters than OTLP's, such as one to be scraped, are none to send by. */
  private boolean isOff(Signal signal) {
    String exporters = value("OTEL_" + signal + "_EXPORTER");
    return "true".equalsIgnoreCase(value("OTEL_SDK_DISABLED"))
        || (exporters != null
            && Arrays.stream(exporters.split(",", -1))
                .map(String::strip)
                .noneMatch("otlp"::equals));
  }

  private String protocolName(Signal signal) {
    String name = value(signal, "PROTOCOL");
    return name == null ? "http/protobuf" : name;
  }

  /** Returns what carries a signal; empty if it is nothing that is there. */
  private Optional<Protocol> protocol(Signal signal) {
    return switch (protocolName(signal)) {
      case "http/protobuf" -> Optional.of(Protocol.HTTP);
      case "grpc" -> Optional.of(Protocol.GRPC);
      default -> Optional.empty();
    };
  }

  /** Only over HTTP is the address of all signals a folder. */
  private @Nullable String address(Signal signal) {
    String own = value(signal.variable("ENDPOINT"));
    String all = value(OTLP + "ENDPOINT");
    if (own != null || all == null || protocol(signal).equals(Optional.of(Protocol.GRPC))) {
      return own == null ? all : own;
    }
    return all + (all.endsWith("/") ? "" : "/") + signal.path();
  }

  private List<String> headers(Signal signal) {
    return pairs(value(signal, "HEADERS")).toList();
  }

  private Duration interval() {
    String text = value(INTERVAL);
    if (text == null) {
      return MetricsExportConfig.DEFAULT.interval();
    }
    if (text.matches("\\d{4,9}")) {
      return Duration.ofMillis(Long.parseLong(text));
    }
    warnings.accept(INTERVAL + " is '" + text + "'; wanted milliseconds, at least 1000");
    return MetricsExportConfig.DEFAULT.interval();
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
