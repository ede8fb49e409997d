package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.telemetry.meter.ModelStatistics;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statistics extension: what was counted of the versions that take requests.
 *
 * <p>Counts are those of {@code ModelStatistics}; nothing is reset by reading.
 */
public final class Statistics {
  private Statistics() {}

  /** Of all models that the caller may know of. */
  public static List<ModelStatistics> ofAll(OipServer server, Caller caller) {
    List<ModelStatistics> all = new ArrayList<>();
    server
        .control()
        .models(caller, Operation.MODEL_STATISTICS)
        .forEach(model -> all.addAll(ofVersions(server, model)));
    return all;
  }

  /**
   * Of one version, or of all versions of a model if the selector names none.
   *
   * @throws InferenceException UNAVAILABLE if it is loading or unloading; INVALID_ARGUMENT if it
   *     takes no requests otherwise, as Triton has it
   */
  public static List<ModelStatistics> of(OipServer server, ModelSelector selector, Caller caller) {
    switch (server.data().find(selector, caller, Operation.MODEL_STATISTICS)) {
      case ModelLookup.Found(ModelLease found) -> found.read(ModelLease::id);
      case ModelLookup.NotReady miss when miss.state() != VersionState.END ->
          throw OipModels.notReady(miss);
      case ModelLookup.UnknownModel _ -> throw notAvailable(selector);
      case ModelLookup.UnknownVersion _, ModelLookup.UnknownLabel _, ModelLookup.NotReady _ ->
          throw selector instanceof ModelSelector.Latest
              ? notAvailable(selector)
              : InferenceException.invalid(
                  "requested model version is not available for model '" + selector.name() + "'");
    }
    return switch (selector) {
      case ModelSelector.Version(String name, long version) ->
          ofVersion(server, new ModelId(name, version));
      case ModelSelector.Latest(String name) -> ofVersions(server, name);
      case ModelSelector.Label(String name, _) -> ofVersions(server, name);
    };
  }

  private static InferenceException notAvailable(ModelSelector selector) {
    return InferenceException.invalid(
        "requested model '" + Excerpt.of(selector.name()) + "' is not available");
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

  /** None if the version was unloaded meanwhile. */
  private static List<ModelStatistics> ofVersion(OipServer server, ModelId id) {
    @Nullable VersionMeter meter = server.telemetry().loaded(id);
    return meter == null ? List.of() : List.of(meter.statistics());
  }
}
