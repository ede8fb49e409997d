package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A repository over a folder of the test, with a loader, workers and a clock of the test. */
final class TestRepository {
  static final ModelConfig ALL = policy(new VersionPolicyConfig.All());

  final ModelFiles files;
  final FakeLoader loader = new FakeLoader();
  final ManualWorkers workers = new ManualWorkers();
  final FakeRepositoryListener listener = new FakeRepositoryListener();
  final ModelRepository repository;
  private final Map<String, ModelConfig> settings = new HashMap<>();

  TestRepository(Path root) {
    this(root, Map.of(), Duration.ofSeconds(1));
  }

  TestRepository(Path root, Map<String, Path> named, Duration pollInterval) {
    this(root, RepositoryConfig.of(new DesiredModels(root, listed(named)), pollInterval));
  }

  private static Map<String, ListedModel> listed(Map<String, Path> named) {
    return named.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> ListedModel.in(entry.getValue())));
  }

  TestRepository(Path root, RepositoryConfig config) {
    files = new ModelFiles(root);
    repository =
        new ModelRepository(
            config,
            this::readSettings,
            loader,
            workers,
            InstantSource.fixed(ModelFiles.NOW),
            listener);
  }

  static ModelConfig policy(VersionPolicyConfig policy) {
    return settings(policy, Map.of(), 1);
  }

  static ModelConfig settings(VersionPolicyConfig policy, Map<String, Long> labels, int instances) {
    ModelConfig defaults = ModelConfig.DEFAULT;
    return new ModelConfig(
        policy,
        labels,
        defaults.batching(),
        defaults.queue(),
        instances,
        defaults.admission(),
        defaults.warmup(),
        defaults.explain(),
        defaults.runtimes());
  }

  /** Writes a settings file; its content stands for the settings given. */
  void settings(String model, String content, ModelConfig config) {
    settings.put(content, config);
    files.write(model + "/model.yml", content);
  }

  private ModelConfig readSettings(Path folder) {
    Path file = folder.resolve("model.yml");
    if (!Files.exists(file)) {
      return ModelConfig.DEFAULT;
    }
    try {
      ModelConfig config = settings.get(Files.readString(file));
      if (config == null) {
        throw InferenceException.invalid("model.yml is broken");
      }
      return config;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Looks twice, so that whatever stands still is taken up, and does all work. */
  void settle() {
    repository.scan();
    repository.scan();
    workers.runAll();
  }

  ModelLookup latest(String model) {
    return repository.find(new ModelSelector.Latest(model));
  }

  ModelLookup version(String model, long version) {
    return repository.find(new ModelSelector.Version(model, version));
  }

  ModelLookup label(String model, String label) {
    return repository.find(new ModelSelector.Label(model, label));
  }

  /** Borrows the latest version, which must be there. */
  ModelLease acquire(String model) {
    return acquired(latest(model));
  }

  static ModelLease acquired(ModelLookup lookup) {
    assertThat(lookup).isInstanceOf(ModelLookup.Found.class);
    return ((ModelLookup.Found) lookup).model();
  }

  /** The number of the latest version, at once given back. */
  long latestNumber(String model) {
    ModelLease found = acquire(model);
    found.release();
    return found.id().version();
  }

  List<VersionStatus> statuses(String model) {
    return repository.versions(model).orElseThrow();
  }

  /** Such as {@code 1 END, 2 AVAILABLE}. */
  String states(String model) {
    return String.join(
        ", ", statuses(model).stream().map(s -> s.version() + " " + s.state()).toList());
  }

  VersionState state(String model, long version) {
    return status(model, version).state();
  }

  VersionStatus status(String model, long version) {
    return statuses(model).stream().filter(s -> s.version() == version).findFirst().orElseThrow();
  }

  FakeLoader.FakeModel loaded(int place) {
    return loader.models.get(place);
  }

  /** What serves the latest version of the model {@code digits}. */
  LoadedModel acquiredModel() {
    ModelLease found = acquire("digits");
    found.release();
    return ((LiveVersion) found).loaded();
  }
}
