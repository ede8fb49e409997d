package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import dev.sluice.config.model.ragged.RaggedConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Settings of one model: its {@code model.yml}, with the server's defaults for keys it leaves out.
 *
 * @param versionPolicy versions that are served: {@code all}, {@code latest}, {@code {latest: 2}}
 *     or {@code {specific: [1, 3]}}
 * @param labels names for versions, which can be moved from one version to another
 * @param batching which requests run together
 * @param queue how they wait
 * @param workers how many run it at once
 * @param admission when it refuses requests before as many wait
 * @param warmup whether a new version runs before it serves: on its recorded requests, or once on
 *     generated inputs
 * @param explain how its answers are explained
 * @param runtimes how its session is opened
 * @param stream how it answers by streams
 * @param ensemble the models it is composed of; empty for a model with files of its own
 * @param classLabels by output, a file whose lines name its classes, for V2 classification
 * @param sequence how requests that belong together share a state; empty: none do
 * @param responseCache whether responses are kept for requests with the same inputs, up to {@code
 *     limits.cache_size}; those of an ensemble until a member changes. Streams go past it
 * @param declared what its Triton {@code config.pbtxt} says; empty without
 * @param warmupIterations times that each recorded request runs in a warm-up
 * @param breaker when it answers no requests for a while, because its runs hang or fail
 * @param encoder how it encodes texts, if it is a text encoder
 * @param ragged how requests whose rows differ in length run together; empty: they do not
 */
public record ModelConfig(
    VersionPolicyConfig versionPolicy,
    Map<String, Long> labels,
    BatchingConfig batching,
    QueueConfig queue,
    Workers workers,
    AdmissionConfig admission,
    boolean warmup,
    ExplainConfig explain,
    RuntimesConfig runtimes,
    StreamConfig stream,
    Optional<EnsembleConfig> ensemble,
    Map<String, Path> classLabels,
    Optional<SequenceConfig> sequence,
    boolean responseCache,
    dev.sluice.config.compat.triton.proto.ModelConfig declared,
    int warmupIterations,
    BreakerConfig breaker,
    EncoderConfig encoder,
    Optional<RaggedConfig> ragged) {
  /**
   * How many runs of a version go on at once: each worker of each session has a thread and runs one
   * request or batch after the other.
   *
   * @param instances sessions of each version, each with weights, variables and native threads of
   *     its own; one with {@code isolation: process} has a process of its own
   * @param concurrency workers of each session: runs at once over the same weights and variables; 1
   *     with {@code sequence} and with {@code isolation: process}. 0: one, and further ones up to
   *     the number of cores while a long run holds up requests that wait, for a model with one
   *     instance whose runs change no variables; one for all others
   */
  public record Workers(int instances, int concurrency) {
    public static final Workers DEFAULT = new Workers(1, 0);

    static Workers read(Section model, Workers defaults) {
      var read =
          new Workers(
              model.number("instances", defaults.instances, 1, MOST_INSTANCES),
              model.number("concurrency", defaults.concurrency, 0, MOST_INSTANCES));
      if (read.instances > MOST_INSTANCES / Math.max(1, read.concurrency)) {
        throw model.error(
            "concurrency",
            "is %d, for each of %d instances; wanted at most %d workers of a model"
                .formatted(read.concurrency, read.instances, MOST_INSTANCES));
      }
      return read;
    }

    /** Returns workers that run no more than so many requests at once. */
    public Workers atMost(int runs) {
      int sessions = Math.min(instances, runs);
      return new Workers(sessions, Math.clamp(runs / sessions, 1, Math.max(1, concurrency)));
    }
  }

  private static final dev.sluice.config.compat.triton.proto.ModelConfig NOT_DECLARED =
      dev.sluice.config.compat.triton.proto.ModelConfig.getDefaultInstance();

  public static final ModelConfig DEFAULT =
      new ModelConfig(
          new VersionPolicyConfig.Latest(1),
          Map.of(),
          BatchingConfig.DEFAULT,
          QueueConfig.DEFAULT,
          Workers.DEFAULT.instances,
          AdmissionConfig.DEFAULT,
          true,
          ExplainConfig.DEFAULT,
          RuntimesConfig.DEFAULT);

  /** Workers of a model, at most: each holds a thread. */
  public static final int MOST_INSTANCES = 1024;

  private static final String ONE_WORKER =
      "is %d, and %s; wanted 1, or instances for more sessions";

  private static final int MOST_ITERATIONS = 1_000_000;

  public ModelConfig {
    labels = Map.copyOf(labels);
    classLabels = Map.copyOf(classLabels);
  }

  /** A model with files of its own. */
  public ModelConfig(
      VersionPolicyConfig versionPolicy,
      Map<String, Long> labels,
      BatchingConfig batching,
      QueueConfig queue,
      int instances,
      AdmissionConfig admission,
      boolean warmup,
      ExplainConfig explain,
      RuntimesConfig runtimes) {
    this(
        versionPolicy,
        labels,
        batching,
        queue,
        new Workers(instances, Workers.DEFAULT.concurrency),
        admission,
        warmup,
        explain,
        runtimes,
        StreamConfig.DEFAULT,
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        false,
        NOT_DECLARED,
        1,
        BreakerConfig.DEFAULT,
        EncoderConfig.DEFAULT,
        Optional.empty());
  }

  /** Returns the same settings for other versions. */
  public ModelConfig withVersions(VersionPolicyConfig policy, Map<String, Long> otherLabels) {
    return with(policy, otherLabels, batching, queue, workers, ensemble);
  }

  /** Returns the same settings with requests joined in another way. */
  public ModelConfig withBatching(BatchingConfig other) {
    return with(versionPolicy, labels, other, queue, workers, ensemble);
  }

  /** Returns the same settings with requests waiting in another way. */
  public ModelConfig withQueue(QueueConfig other) {
    return with(versionPolicy, labels, batching, other, workers, ensemble);
  }

  /** Returns the same settings with other numbers of sessions and of their workers. */
  public ModelConfig withWorkers(Workers other) {
    return with(versionPolicy, labels, batching, queue, other, ensemble);
  }

  /** Returns the same settings with so many calls of a plugin at once, unless they say how many. */
  public ModelConfig withPluginCalls(int calls) {
    return withRuntimes(
        new RuntimesConfig(runtimes.onnx(), runtimes.tensorflow(), runtimes.java().atLeast(calls)));
  }

  /** Returns the same settings for a model whose single requests gain from all cores. */
  public ModelConfig withSpreadRuns() {
    OnnxConfig onnx = runtimes.onnx();
    return withRuntimes(
        new RuntimesConfig(
            onnx.with(onnx.threads().spreading()), runtimes.tensorflow(), runtimes.java()));
  }

  /**
   * Returns the same settings with these for a plugin's own use, besides and in place of others.
   */
  public ModelConfig withPluginSettings(Map<String, String> others) {
    return others.isEmpty()
        ? this
        : withRuntimes(
            new RuntimesConfig(
                runtimes.onnx(), runtimes.tensorflow(), runtimes.java().with(others)));
  }

  /** Returns the same settings with sessions that are opened in another way. */
  public ModelConfig withRuntimes(RuntimesConfig other) {
    return with(other, stream);
  }

  /** Returns the same settings with other streams. */
  public ModelConfig withStream(StreamConfig other) {
    return with(runtimes, other);
  }

  private ModelConfig with(RuntimesConfig otherRuntimes, StreamConfig otherStream) {
    return new ModelConfig(
        versionPolicy,
        labels,
        batching,
        queue,
        workers,
        admission,
        warmup,
        explain,
        otherRuntimes,
        otherStream,
        ensemble,
        classLabels,
        sequence,
        responseCache,
        declared,
        warmupIterations,
        breaker,
        encoder,
        ragged);
  }

  /** Returns whether its {@code config.pbtxt} names an input that is one of some. */
  public boolean declaresInputIn(Predicate<String> names) {
    return declared.getInputList().stream().anyMatch(input -> names.test(input.getName()));
  }

  /** Returns the same settings for a model that is composed of others. */
  public ModelConfig withEnsemble(EnsembleConfig other) {
    return with(versionPolicy, labels, batching, queue, workers, Optional.of(other));
  }

  /** Returns the same settings but for those that are ever replaced one by one. */
  private ModelConfig with(
      VersionPolicyConfig otherVersions,
      Map<String, Long> otherLabels,
      BatchingConfig otherBatching,
      QueueConfig otherQueue,
      Workers otherWorkers,
      Optional<EnsembleConfig> otherEnsemble) {
    return new ModelConfig(
        otherVersions,
        otherLabels,
        otherBatching,
        otherQueue,
        otherWorkers,
        admission,
        warmup,
        explain,
        runtimes,
        stream,
        otherEnsemble,
        classLabels,
        sequence,
        responseCache,
        declared,
        warmupIterations,
        breaker,
        encoder,
        ragged);
  }

  /** Reads a {@code model.yml}. */
  public static ModelConfig read(Section model, ModelConfig defaults) {
    RuntimesConfig runtimes = defaults.runtimes;
    ModelConfig read =
        read(
            model,
            defaults,
            labels(model, defaults.labels),
            new RuntimesConfig(
                    model.section("onnx", onnx -> OnnxConfig.read(onnx, runtimes.onnx())),
                    model.section(
                        "tensorflow",
                        tensorflow -> TensorflowConfig.read(tensorflow, runtimes.tensorflow())),
                    model.section("java", java -> JavaConfig.read(java, runtimes.java())))
                .isolated(model),
            model.section("stream", stream -> StreamConfig.read(stream, defaults.stream)),
            model
                .value("ensemble")
                .map(ensemble -> ensemble.section().readAll(EnsembleConfig::read)),
            classLabels(model),
            model
                .value("sequence")
                .map(sequence -> sequence.section().readAll(SequenceConfig::read)),
            model.section("encoder", EncoderConfig::read),
            model.value("ragged").map(ragged -> ragged.section().readAll(RaggedConfig::read)));
    read.requireConcurrency(model);
    return read;
  }

  /** Rejects workers of one session where it can only have one. */
  private void requireConcurrency(Section model) {
    if (workers.concurrency <= 1 || model.value("concurrency").isEmpty()) {
      return;
    }
    if (sequence.isPresent()) {
      throw model.error(
          "concurrency",
          ONE_WORKER.formatted(
              workers.concurrency, "the requests of a sequence run one after the other"));
    }
    if (runtimes.isolatesAll()) {
      throw model.error(
          "concurrency",
          ONE_WORKER.formatted(
              workers.concurrency, "a session in a process of its own runs one request at a time"));
    }
  }

  /** Returns how many workers each session has from the beginning. */
  public int concurrency() {
    return sequence.isPresent() ? 1 : Math.max(1, workers.concurrency);
  }

  /** Returns whether the session may have further workers while a run holds up others. */
  public boolean hasAutomaticConcurrency() {
    return workers.concurrency == 0 && workers.instances == 1 && sequence.isEmpty();
  }

  /** Returns how many runs of a version go on at once, without those of further workers. */
  public int runsAtOnce() {
    return workers.instances * concurrency();
  }

  /** Returns a copy with the files that it names found in the model's folder. */
  public ModelConfig in(Path modelFolder) {
    Map<String, Path> found = new LinkedHashMap<>();
    classLabels.forEach((output, file) ->
        found.put(output, ModelFiles.within(modelFolder, "class_labels", file.toString())));
    return new ModelConfig(
        versionPolicy,
        labels,
        batching,
        queue,
        workers,
        admission,
        warmup,
        explain.in(modelFolder),
        runtimes,
        stream.in(modelFolder),
        ensemble,
        found,
        sequence.map(rules -> rules.in(modelFolder)),
        responseCache,
        declared,
        warmupIterations,
        breaker,
        encoder.in(modelFolder),
        ragged);
  }

  /**
   * Reads what all models share. Labels and streams belong to one model; runtimes have a place of
   * their own.
   */
  public static ModelConfig readDefaults(Section defaults, RuntimesConfig runtimes) {
    return read(
        defaults,
        DEFAULT,
        DEFAULT.labels,
        runtimes,
        DEFAULT.stream,
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        EncoderConfig.DEFAULT,
        Optional.empty());
  }

  private static ModelConfig read(
      Section model,
      ModelConfig defaults,
      Map<String, Long> labels,
      RuntimesConfig runtimes,
      StreamConfig stream,
      Optional<EnsembleConfig> ensemble,
      Map<String, Path> classLabels,
      Optional<SequenceConfig> sequence,
      EncoderConfig encoder,
      Optional<RaggedConfig> ragged) {
    return new ModelConfig(
        VersionPolicyConfig.read(model, "version_policy", defaults.versionPolicy),
        labels,
        BatchingConfig.read(model, defaults.batching),
        QueueConfig.read(model, defaults.queue),
        Workers.read(model, defaults.workers),
        model.section("admission", section -> AdmissionConfig.read(section, defaults.admission)),
        model.flag("warmup", defaults.warmup),
        model.section("explain", section -> ExplainConfig.read(section, defaults.explain)),
        runtimes,
        stream,
        ensemble,
        classLabels,
        sequence,
        model.flag("response_cache", defaults.responseCache),
        NOT_DECLARED,
        model.number("warmup_iterations", defaults.warmupIterations, 1, MOST_ITERATIONS),
        model.section("breaker", section -> BreakerConfig.read(section, defaults.breaker)),
        encoder,
        ragged);
  }

  /** These settings without those that change no loaded model: which versions to serve, labels. */
  public ModelConfig ofLoadedModel() {
    return withVersions(DEFAULT.versionPolicy, DEFAULT.labels);
  }

  private static Map<String, Long> labels(Section model, Map<String, Long> otherwise) {
    Map<String, Long> labels = new LinkedHashMap<>();
    model
        .value("labels")
        .map(Setting::named)
        .orElse(Map.of())
        .forEach((label, version) -> labels.put(label, version.version()));
    return labels.isEmpty() ? otherwise : labels;
  }

  private static Map<String, Path> classLabels(Section model) {
    Map<String, Path> files = new LinkedHashMap<>();
    model
        .value("class_labels")
        .map(Setting::named)
        .orElse(Map.of())
        .forEach((output, file) -> files.put(output, Path.of(file.text())));
    return files;
  }
}
