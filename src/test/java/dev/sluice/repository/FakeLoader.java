package dev.sluice.repository;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Opens nothing; notes what it was asked for, and can be told to fail. */
final class FakeLoader implements Loader {
  final List<ModelId> loads = new CopyOnWriteArrayList<>();
  final List<FakeModel> models = new CopyOnWriteArrayList<>();
  final Map<ModelId, Throwable> failures = new ConcurrentHashMap<>();
  private final Set<ModelId> underWay = ConcurrentHashMap.newKeySet();

  void fail(String model, long version, String text) {
    failures.put(
        new ModelId(model, version), new InferenceException(ErrorCode.INVALID_ARGUMENT, text));
  }

  void heal() {
    failures.clear();
  }

  /** How many models are open. */
  long open() {
    return models.stream().filter(model -> model.closes.get() == 0).count();
  }

  @Override
  public LoadedModel load(ModelId id, Path folder, ModelConfig config) {
    if (!underWay.add(id)) {
      throw new AssertionError(id + " is loaded twice at once");
    }
    try {
      loads.add(id);
      return open(id, folder, config);
    } finally {
      underWay.remove(id);
    }
  }

  private FakeModel open(ModelId id, Path folder, ModelConfig config) {
    switch (failures.get(id)) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null, default -> {}
    }
    var model = new FakeModel(folder, config);
    models.add(model);
    return model;
  }

  static final class FakeModel implements LoadedModel {
    final Path folder;
    final ModelConfig config;
    final AtomicInteger closes = new AtomicInteger();

    FakeModel(Path folder, ModelConfig config) {
      this.folder = folder;
      this.config = config;
    }

    @Override
    public ModelMetadata metadata() {
      return new ModelMetadata("fake", Map.of(), false, 0);
    }

    @Override
    public void close() {
      closes.incrementAndGet();
    }

    boolean isOpen() {
      return closes.get() == 0;
    }
  }
}
