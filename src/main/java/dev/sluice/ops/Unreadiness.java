package dev.sluice.ops;

import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.VersionStatus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;

/** Says which models keep a server from being ready, and why. Any thread. */
final class Unreadiness {
  private Unreadiness() {}

  /**
   * Returns an object for each of them: {@code model}, {@code reason}, and {@code version} if it is
   * about one. None if the server is ready, or not for a model's sake: it starts or stops.
   */
  static JsonArray reasons(ControlPlane control) {
    var reasons = new JsonArray();
    for (String model : control.unready()) {
      for (VersionStatus status : control.versions(model).orElse(List.of())) {
        ofVersion(status)
            .ifPresent(reason ->
                reasons.add(json(model, reason).put("version", Long.toString(status.version()))));
      }
      ofModel(control, model).ifPresent(reason -> reasons.add(json(model, reason)));
    }
    return reasons;
  }

  private static Optional<String> ofVersion(VersionStatus status) {
    boolean loading =
        status.state() == VersionState.START || status.state() == VersionState.LOADING;
    return status
        .error()
        .map(VersionStatus.Failure::message)
        .or(() -> loading ? Optional.of("it is being loaded") : Optional.empty());
  }

  private static Optional<String> ofModel(ControlPlane control, String model) {
    return control
        .problem(new ModelSelector.Latest(model))
        .filter(ModelProblem::ofServer)
        .map(ModelProblem::reason)
        .or(() ->
            control.versions(model).orElse(List.of()).isEmpty()
                ? control.absence(model)
                : Optional.empty());
  }

  private static JsonObject json(String model, String reason) {
    return new JsonObject().put("model", model).put("reason", reason);
  }
}
