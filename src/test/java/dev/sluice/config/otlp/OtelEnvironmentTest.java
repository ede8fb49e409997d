package dev.sluice.config.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OtelEnvironmentTest {
  private final List<String> warnings = new ArrayList<>();

  private TracingConfig complete(TracingConfig set, Map<String, String> environment) {
    return new OtelEnvironment(environment, warnings::add).complete(set);
  }

  @Test
  void emptyEnvironmentLeavesSpansOff() {
    assertThat(complete(TracingConfig.DEFAULT, Map.of())).isEqualTo(TracingConfig.DEFAULT);
  }

  @Test
  void variablesOfTheSpecificationAreReadWhereSettingsSayNothing() {
    TracingConfig read =
        complete(
            TracingConfig.DEFAULT,
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/",
                "OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b,x=y",
                "OTEL_SERVICE_NAME", "ranking",
                "OTEL_RESOURCE_ATTRIBUTES", "k8s.pod.name=sluice-0",
                "OTEL_TRACES_SAMPLER", "parentbased_traceidratio",
                "OTEL_TRACES_SAMPLER_ARG", "0.25"));

    assertThat(read.collector().endpoint()).contains(URI.create("http://collector:4318/v1/traces"));
    assertThat(CollectorConfig.named(read.collector().headers()))
        .isEqualTo(Map.of("api-key", "a b", "x", "y"));
    assertThat(read.serviceName()).isEqualTo("ranking");
    assertThat(read.resource()).containsExactly("k8s.pod.name=sluice-0");
    assertThat(read.samplingRatio()).isEqualTo(0.25);
    assertThat(read.parentBased()).isTrue();
    assertThat(warnings).isEmpty();
  }

  @Test
  void settingsBeatTheEnvironment() {
    TracingConfig set =
        new TracingConfig(
            TracingConfig.Timing.OFF,
            new CollectorConfig(
                CollectorConfig.address("http://own:4318"),
                CollectorConfig.Protocol.HTTP,
                List.of("a=b")),
            0.5,
            true,
            "own",
            List.of("c=d"));
    Map<String, String> environment =
        Map.of(
            "OTEL_EXPORTER_OTLP_ENDPOINT", "http://other:4318",
            "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc",
            "OTEL_EXPORTER_OTLP_HEADERS", "x=y",
            "OTEL_SERVICE_NAME", "other",
            "OTEL_TRACES_SAMPLER", "always_off");

    assertThat(complete(set, environment)).isEqualTo(set);
  }

  @ParameterizedTest
  @CsvSource({
    "always_on, 1, false",
    "always_off, 0, false",
    "traceidratio, 0.5, false",
    "parentbased_always_on, 1, true",
    "parentbased_always_off, 0, true",
    "parentbased_traceidratio, 0.5, true"
  })
  void samplersHaveTheirMeaning(String sampler, double ratio, boolean parentBased) {
    TracingConfig read =
        complete(
            TracingConfig.DEFAULT,
            Map.of("OTEL_TRACES_SAMPLER", sampler, "OTEL_TRACES_SAMPLER_ARG", "0.5"));

    assertThat(read.samplingRatio()).isEqualTo(ratio);
    assertThat(read.parentBased()).isEqualTo(parentBased);
  }

  @ParameterizedTest
  @CsvSource({"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"})
  void grpcHasTheAddressAsItIs(String name) {
    Map<String, String> environment =
        Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317", name, "grpc");

    TracingConfig read = complete(TracingConfig.DEFAULT, environment);
    assertThat(read.collector().protocol()).isEqualTo(CollectorConfig.Protocol.GRPC);
    assertThat(read.collector().endpoint()).contains(URI.create("http://collector:4317"));
    assertThat(warnings).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_SDK_DISABLED, true, 0",
    "OTEL_TRACES_EXPORTER, none, 0",
    "OTEL_EXPORTER_OTLP_PROTOCOL, http/json, 1",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, ftp://x, 1"
  })
  void exportIsOffWhereTheEnvironmentSaysSoOrCannotBeFollowed(
      String name, String value, int warned) {
    Map<String, String> environment =
        Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318", name, value);

    assertThat(complete(TracingConfig.DEFAULT, environment).collector().endpoint()).isEmpty();
    assertThat(warnings).hasSize(warned);
  }

  private MetricsExportConfig complete(MetricsExportConfig set, Map<String, String> environment) {
    return new OtelEnvironment(environment, warnings::add).complete(set);
  }

  @Test
  void emptyEnvironmentLeavesMetricsOff() {
    assertThat(complete(MetricsExportConfig.DEFAULT, Map.of()))
        .isEqualTo(MetricsExportConfig.DEFAULT);
  }

  @Test
  void metricsGoWhereAllSignalsGo() {
    MetricsExportConfig read =
        complete(
            MetricsExportConfig.DEFAULT,
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318",
                "OTEL_EXPORTER_OTLP_HEADERS", "api-key=a",
                "OTEL_METRICS_EXPORTER", "prometheus, otlp",
                "OTEL_METRIC_EXPORT_INTERVAL", "15000"));

    assertThat(read.collector().endpoint())
        .contains(URI.create("http://collector:4318/v1/metrics"));
    assertThat(read.collector().headers()).containsExactly("api-key=a");
    assertThat(read.interval()).isEqualTo(Duration.ofSeconds(15));
    assertThat(warnings).isEmpty();
  }

  @Test
  void variablesOfMetricsBeatThoseOfAllSignals() {
    MetricsExportConfig read =
        complete(
            MetricsExportConfig.DEFAULT,
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", "http://other:4318",
                "OTEL_EXPORTER_OTLP_HEADERS", "api-key=b",
                "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://own:4317",
                "OTEL_EXPORTER_OTLP_METRICS_HEADERS", "api-key=a",
                "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc"));

    assertThat(read.collector())
        .isEqualTo(
            new CollectorConfig(
                CollectorConfig.address("http://own:4317"),
                CollectorConfig.Protocol.GRPC,
                List.of("api-key=a")));
  }

  @Test
  void settingsOfMetricsBeatTheEnvironment() {
    var set =
        new MetricsExportConfig(
            new CollectorConfig(
                CollectorConfig.address("http://own:4318"),
                CollectorConfig.Protocol.HTTP,
                List.of("a=b")),
            Duration.ofSeconds(5));
    Map<String, String> environment =
        Map.of(
            "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://other:4317",
            "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc",
            "OTEL_METRIC_EXPORT_INTERVAL", "15000");

    assertThat(complete(set, environment)).isEqualTo(set);
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_SDK_DISABLED, true, 0",
    "OTEL_METRICS_EXPORTER, none, 0",
    "OTEL_METRICS_EXPORTER, prometheus, 0",
    "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL, http/json, 1",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, ftp://x, 1"
  })
  void metricsAreOffWhereTheEnvironmentSaysSoOrCannotBeFollowed(
      String name, String value, int warned) {
    Map<String, String> environment =
        Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318", name, value);

    assertThat(complete(MetricsExportConfig.DEFAULT, environment))
        .isEqualTo(MetricsExportConfig.DEFAULT);
    assertThat(warnings).hasSize(warned);
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_METRIC_EXPORT_INTERVAL, 500",
    "OTEL_METRIC_EXPORT_INTERVAL, 1m",
    "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE, delta"
  })
  void whatMetricsCannotFollowIsAWarning(String name, String value) {
    Map<String, String> environment =
        Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318", name, value);

    assertThat(complete(MetricsExportConfig.DEFAULT, environment).interval())
        .isEqualTo(Duration.ofMinutes(1));
    assertThat(warnings).singleElement().asString().startsWith(name + " is '" + value + "'; ");
  }
}
