package dev.sluice.testing;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.VersionStatus;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Models that can be found by name and version, and asked nothing: both doors at once. */
public final class NamedModels implements DataPlane, FakeControlPlane {
  private final List<ModelId> ids;
  private boolean online;
  private boolean started = true;

  public NamedModels(ModelId... ids) {
    this.ids = List.of(ids);
  }

  @Override
  public ModelLookup find(ModelSelector selector, Caller caller, Operation operation) {
    List<ModelId> versions = ids.stream().filter(id -> id.name().equals(selector.name())).toList();
    if (versions.isEmpty()) {
      return new ModelLookup.UnknownModel(selector.name());
    }
    return switch (selector) {
      case ModelSelector.Latest _ -> found(versions.getLast());
      case ModelSelector.Version(String name, long version) ->
          versions.contains(new ModelId(name, version))
              ? found(new ModelId(name, version))
              : new ModelLookup.UnknownVersion(name, version);
      case ModelSelector.Label(String name, String label) ->
          new ModelLookup.UnknownLabel(name, label);
    };
  }

  private static ModelLookup found(ModelId id) {
    return new ModelLookup.Found(
        new DeclaredModel(id, new ModelMetadata("onnxruntime_onnx", Map.of(), true, 0)));
  }

  @Override
  public Future<InferenceResponse> infer(InferenceRequest request) {
    request.close();
    return Future.failedFuture(new InferenceException(ErrorCode.INTERNAL, "asked nothing"));
  }

  @Override
  public List<String> models() {
    return ids.stream().map(ModelId::name).distinct().sorted().toList();
  }

  @Override
  public Optional<List<VersionStatus>> versions(String model) {
    List<VersionStatus> versions =
        ids.stream()
            .filter(id -> id.name().equals(model))
            .map(id -> VersionStatus.of(id.version(), VersionState.AVAILABLE))
            .toList();
    return versions.isEmpty() ? Optional.empty() : Optional.of(versions);
  }

  @Override
  public Map<String, Long> labels(String model) {
    return Map.of();
  }

  @Override
  public boolean live() {
    return true;
  }

  /** Loads its models until {@code started} is said to be true. */
  public void setStarted(boolean started) {
    this.started = started;
  }

  @Override
  public boolean started() {
    return started;
  }

  @Override
  public boolean online() {
    return online;
  }

  @Override
  public void setOnline(boolean online, Caller caller) {
    this.online = online;
  }
}
