package dev.sluice.testing;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.inference.explain.ExplainParameters;
import dev.sluice.inference.explain.Explainer;
import dev.sluice.inference.explain.Explanation;
import dev.sluice.inference.explain.ExplanationSource;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Both doors of the server in front of models that are Java functions. Counts the loans that were
 * not given back.
 */
public final class FakePlanes implements DataPlane, FakeControlPlane, Explainer {
  /** What a model computes: new tensors from the request's, which it borrows. */
  @FunctionalInterface
  public interface Function {
    List<NamedTensor> run(InferenceRequest request);
  }

  private record Version(VersionStatus status, ModelMetadata metadata, Function function) {}

  private final Map<String, TreeMap<Long, Version>> models = new TreeMap<>();
  private final Map<String, Map<String, Long>> labels = new HashMap<>();
  private final AtomicInteger leases = new AtomicInteger();

  /** Adds a version that takes requests. */
  public FakePlanes serve(String name, long version, ModelMetadata metadata, Function function) {
    return put(name, VersionStatus.of(version, VersionState.AVAILABLE), metadata, function);
  }

  /** Adds a version that takes none. */
  public FakePlanes announce(String name, VersionStatus status) {
    var nothing = new ModelMetadata("", Map.of(), false, 0);
    return put(name, status, nothing, _ -> List.of());
  }

  private FakePlanes put(
      String name, VersionStatus status, ModelMetadata metadata, Function function) {
    models
        .computeIfAbsent(name, _ -> new TreeMap<>())
        .put(status.version(), new Version(status, metadata, function));
    return this;
  }

  public FakePlanes label(String name, String label, long version) {
    labels.computeIfAbsent(name, _ -> new HashMap<>()).put(label, version);
    return this;
  }

  /** Loans that were not given back. */
  public int leases() {
    return leases.get();
  }

  @Override
  public ModelLookup find(ModelSelector selector, Caller caller, Operation operation) {
    return switch (selector) {
      case ModelSelector.Latest(var name) -> latest(name);
      case ModelSelector.Version(var name, var version) -> version(name, version);
      case ModelSelector.Label(var name, var label) -> {
        @Nullable Long version = labels(name).get(label);
        yield version == null ? new ModelLookup.UnknownLabel(name, label) : version(name, version);
      }
    };
  }

  private ModelLookup latest(String name) {
    @Nullable TreeMap<Long, Version> versions = models.get(name);
    if (versions == null) {
      return new ModelLookup.UnknownModel(name);
    }
    for (var version : versions.descendingMap().values()) {
      if (version.status().state() == VersionState.AVAILABLE) {
        return new ModelLookup.Found(new FakeLease(name, version));
      }
    }
    VersionStatus last = versions.lastEntry().getValue().status();
    return new ModelLookup.NotReady(name, last.version(), last.state(), "");
  }

  private ModelLookup version(String name, long number) {
    @Nullable TreeMap<Long, Version> versions = models.get(name);
    if (versions == null) {
      return new ModelLookup.UnknownModel(name);
    }
    @Nullable Version version = versions.get(number);
    if (version == null) {
      return new ModelLookup.UnknownVersion(name, number);
    }
    return version.status().state() == VersionState.AVAILABLE
        ? new ModelLookup.Found(new FakeLease(name, version))
        : new ModelLookup.NotReady(name, number, version.status().state(), "");
  }

  @Override
  public Future<InferenceResponse> infer(InferenceRequest request) {
    try (request) {
      var lease = (FakeLease) request.model();
      List<NamedTensor> outputs = lease.version.function().run(request);
      return Future.succeededFuture(
          new InferenceResponse(lease.id(), request.signature(), new ArrayList<>(outputs)));
    } catch (InferenceException e) {
      return Future.failedFuture(e);
    }
  }

  @Override
  public List<String> models() {
    return List.copyOf(models.keySet());
  }

  @Override
  public Optional<List<VersionStatus>> versions(String model) {
    return Optional.ofNullable(models.get(model))
        .map(versions -> versions.values().stream().map(Version::status).toList());
  }

  @Override
  public Map<String, Long> labels(String model) {
    return labels.getOrDefault(model, Collections.emptyMap());
  }

  @Override
  public ExplanationSource explainedBy(ModelLease model) {
    return new ExplanationSource.Nothing();
  }

  @Override
  public Future<Explanation> explain(InferenceRequest request, ExplainParameters parameters) {
    throw new UnsupportedOperationException("nothing is explained here");
  }

  private final class FakeLease implements ModelLease {
    private final String name;
    private final Version version;

    FakeLease(String name, Version version) {
      this.name = name;
      this.version = version;
      leases.incrementAndGet();
    }

    @Override
    public ModelId id() {
      return new ModelId(name, version.status().version());
    }

    @Override
    public ModelMetadata metadata() {
      return version.metadata();
    }

    @Override
    public void release() {
      leases.decrementAndGet();
    }
  }
}
