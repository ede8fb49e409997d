package dev.sluice.protocol.oip;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.VersionStatus;
import dev.sluice.telemetry.ModelStatistics;
import dev.sluice.telemetry.VersionMeter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statistics extension: what was counted of the versions that take requests. */
public final class Statistics {
  private Statistics() {}

  /** Of all models. */
  public static List<ModelStatistics> ofAll(OipServer server) {
    List<ModelStatistics> all = new ArrayList<>();
    server.control().models().forEach(model -> all.addAll(ofVersions(server, model)));
    return all;
  }

  /**
   * Of one version, or of all versions of a model if the selector names none.
   *
   * @throws dev.sluice.inference.InferenceException as {@link Models#find} does
   */
  public static List<ModelStatistics> of(OipServer server, ModelSelector selector) {
    Models.find(server.data(), selector).release();
    return switch (selector) {
      case ModelSelector.Version(String name, long version) ->
          ofVersion(server, new ModelId(name, version));
      case ModelSelector.Latest(String name) -> ofVersions(server, name);
      case ModelSelector.Label(String name, _) -> ofVersions(server, name);
    };
  }

  private static List<ModelStatistics> ofVersions(OipServer server, String model) {
    List<ModelStatistics> all = new ArrayList<>();
    for (VersionStatus version : server.control().versions(model).orElse(List.of())) {
      if (version.state() == VersionState.AVAILABLE) {
        all.addAll(ofVersion(server, new ModelId(model, version.version())));
      }
    }
    return all;
  }

  /** None if the version has gone in this very moment. */
  private static List<ModelStatistics> ofVersion(OipServer server, ModelId id) {
    @Nullable VersionMeter meter = server.telemetry().loaded(id);
    return meter == null ? List.of() : List.of(meter.statistics());
  }
}
