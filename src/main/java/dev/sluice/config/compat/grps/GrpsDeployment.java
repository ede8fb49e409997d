package dev.sluice.config.compat.grps;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.ModelConfig.Workers;
import dev.sluice.config.server.ListenerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A deployment made for grps' own server, whose {@code server.yml} and {@code inference.yml} are
 * read as they are. Their values are used for settings that are not given elsewhere.
 *
 * @param listeners where it listens
 * @param customHttp how predictions are asked for over HTTP besides; empty: in no other way
 * @param models what is served
 * @param maxConnections requests of grps under way at once
 * @param maxConcurrency predictions that one model runs at once
 * @param serverText both files, written out again
 * @param unused full names of keys that change nothing here
 */
public record GrpsDeployment(
    List<ListenerConfig> listeners,
    Optional<GrpsCustomHttp> customHttp,
    Models models,
    int maxConnections,
    int maxConcurrency,
    String serverText,
    List<String> unused) {
  /**
   * The models of a deployment.
   *
   * @param listed by the names that requests use, {@code name-version}
   * @param ensembles the models that are run one behind the other, by the file that says so
   * @param names the first model of each name without a version
   * @param first the model that is meant when a request names none
   * @param texts what the files say of each model, written out again
   */
  public record Models(
      Map<String, ListedModel> listed,
      Map<Path, EnsembleConfig> ensembles,
      Map<String, String> names,
      Optional<String> first,
      Map<String, String> texts) {
    private static Models of(GrpsInferenceFile inference) {
      Map<String, ListedModel> listed = new LinkedHashMap<>();
      Map<String, String> names = new LinkedHashMap<>();
      Map<String, String> texts = new LinkedHashMap<>();
      for (GrpsInferenceFile.Model model : inference.models()) {
        listed.put(model.id(), model.listed());
        names.putIfAbsent(model.name(), model.id());
        texts.put(model.id(), model.text());
      }
      Map<Path, EnsembleConfig> ensembles = new LinkedHashMap<>();
      inference
          .dag()
          .ifPresent(dag -> {
            listed.put(dag.id(), ListedModel.in(dag.path()));
            ensembles.put(dag.path(), EnsembleConfig.chain(dag.models()));
          });
      return new Models(listed, ensembles, names, inference.defaultModel(), texts);
    }
  }

  /**
   * Reads both files.
   *
   * @param folder the deployment, or the folder {@code conf} in it
   * @throws dev.sluice.config.binding.ConfigException with the file and the key, what was got and
   *     what is wanted
   */
  static GrpsDeployment read(Path folder) {
    Path inside = folder.resolve("conf");
    Path conf = Files.isRegularFile(inside.resolve("server.yml")) ? inside : folder;
    // The original server is started in the deployment's folder, and paths are relative to that.
    Path parent = conf.toAbsolutePath().normalize().getParent();
    Path base = parent == null ? conf : parent;
    return of(
        GrpsServerFile.read(conf.resolve("server.yml")),
        GrpsInferenceFile.read(conf.resolve("inference.yml"), base));
  }

  private static GrpsDeployment of(GrpsServerFile server, GrpsInferenceFile inference) {
    List<String> unused = new ArrayList<>(server.unused());
    unused.addAll(inference.unused());
    return new GrpsDeployment(
        server.listeners(),
        server.customHttp(),
        Models.of(inference),
        server.maxConnections(),
        server.maxConcurrency(),
        server.text() + "\n" + inference.text(),
        unused);
  }

  /**
   * Returns the settings of the model at a path; requests are only joined where the files say so.
   */
  ModelConfig settings(Path path, ModelConfig defaults) {
    boolean isOurs = models.listed.values().stream().anyMatch(model -> model.folder().equals(path));
    ModelConfig own =
        defaults
            .withBatching(isOurs ? BatchingConfig.DEFAULT : defaults.batching())
            .withWorkers(workers(defaults))
            .withPluginCalls(maxConcurrency);
    EnsembleConfig ensemble = models.ensembles.get(path);
    return ensemble == null ? own : own.withEnsemble(ensemble);
  }

  /**
   * Returns how many runs of a model are under way at once: as many as the files say, but no more
   * than there are processors, since a run keeps one. They share one session; those in processes of
   * their own share nothing, and are not multiplied.
   */
  private Workers workers(ModelConfig defaults) {
    Workers wanted =
        !defaults.runtimes().isolatesAny() && defaults.workers().equals(Workers.DEFAULT)
            ? new Workers(1, Runtime.getRuntime().availableProcessors())
            : defaults.workers();
    return wanted.atMost(maxConcurrency);
  }

  /** Returns a warning for the operator; empty if every setting of the file has an effect here. */
  public Optional<String> warning() {
    return unused.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "these keys of the grps deployment change nothing here: " + String.join(", ", unused));
  }
}
