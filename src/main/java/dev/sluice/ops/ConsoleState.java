package dev.sluice.ops;

import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.telemetry.CallTotals;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.ModelStatistics;
import dev.sluice.telemetry.meter.VersionMeter;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Writes the state of the server, as the console page polls it. Any thread.
 *
 * @param version the server's
 * @param control source of the models' states
 * @param telemetry source of their versions' figures
 * @param monitor source of recent calls
 * @param protocols those of the listener
 */
public record ConsoleState(
    String version,
    ControlPlane control,
    Telemetry telemetry,
    CallMonitor monitor,
    Set<Protocol> protocols) {
  /** Copies the set. */
  public ConsoleState {
    protocols = Set.copyOf(protocols);
  }

  private static final double MILLIS = 1e3;
  private static final double NANOS_OF_MILLI = 1e6;

  /** Returns all of it. Work for a worker: there may be many models. */
  JsonObject json(Caller caller) {
    var models = new JsonArray();
    control.models().forEach(name -> models.add(model(name)));
    var trends = new JsonObject();
    monitor.lastMinute().forEach((name, seconds) -> trends.put(name, array(seconds)));
    return new JsonObject()
        .put("version", version)
        .put("ready", control.ready())
        .put("not_ready", Unreadiness.reasons(control))
        .put("online", control.online())
        .put("identity", caller.identity())
        .put("listener", caller.listener())
        .put("protocols", carried())
        .put("uptime_seconds", ManagementFactory.getRuntimeMXBean().getUptime() / MILLIS)
        .put("trends", trends)
        .put("distributions", distributions())
        .put("models", models);
  }

  /** By the names of grps' monitor, as its series have them. */
  private JsonObject distributions() {
    return new JsonObject().put(CallMonitor.TIMES, monitor.spread().points());
  }

  private JsonArray carried() {
    var names = new JsonArray();
    protocols.stream().sorted().forEach(each -> names.add(each.name().toLowerCase(Locale.ROOT)));
    return names;
  }

  private static JsonArray array(double[] values) {
    var array = new JsonArray();
    for (double value : values) {
      array.add(value);
    }
    return array;
  }

  private JsonObject model(String name) {
    var versions = new JsonArray();
    Map<String, Long> labels = control.labels(name);
    for (VersionStatus status : control.versions(name).orElse(List.of())) {
      versions.add(version(name, status, labels));
    }
    CallMonitor.Lately lately = monitor.lately(name);
    CallTotals calls = lately.calls();
    return new JsonObject()
        .put("name", name)
        .put("versions", versions)
        .put("calls_per_second", calls.calls() / lately.seconds())
        .put("failed_share", calls.failedShare())
        .put("mean_ms", calls.meanNanos() / NANOS_OF_MILLI)
        .put("p50_ms", calls.quantileNanos(0.5) / NANOS_OF_MILLI)
        .put("p99_ms", calls.quantileNanos(0.99) / NANOS_OF_MILLI);
  }

  private JsonObject version(String model, VersionStatus status, Map<String, Long> labels) {
    var names = new JsonArray();
    labels.forEach((label, version) -> {
      if (version == status.version()) {
        names.add(label);
      }
    });
    var json =
        new JsonObject()
            .put("version", Long.toString(status.version()))
            .put("state", status.state().name().toLowerCase(Locale.ROOT))
            .put("labels", names);
    status.error().ifPresent(error -> json.put("error", error.message()));
    var id = new ModelId(model, status.version());
    VersionMeter meter = telemetry.loaded(id);
    if (meter != null) {
      ModelStatistics statistics = meter.statistics();
      CallMonitor.Rate rate = monitor.lately(id);
      json.put("requests_per_second", rate.perSecond()).put("failed_share", rate.failedShare());
      json.put("waiting", meter.waiting())
          .put("inferences", statistics.inferenceCount())
          .put("runs", statistics.executionCount());
    }
    return json;
  }
}
