package dev.sluice.serving.loading;

import dev.sluice.config.compat.triton.proto.ModelWarmup;
import dev.sluice.config.model.InstanceLimit;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.ModelConfig.Workers;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.control.RecordedRequests;
import dev.sluice.runtime.CacheBranchSession;
import dev.sluice.runtime.LimitedSession;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.serving.AvailableMemory;
import dev.sluice.serving.encoder.EncoderSession;
import dev.sluice.serving.encoder.TextEncoder;
import dev.sluice.serving.ragged.RaggedSession;
import dev.sluice.serving.warmup.DeclaredWarmUp;
import dev.sluice.serving.warmup.RecordedWarmUp;
import dev.sluice.serving.warmup.WarmUp;
import dev.sluice.serving.worker.ReopenableSession;
import dev.sluice.serving.worker.WorkerLimit;
import dev.sluice.telemetry.meter.LoadMeters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the sessions of one version: each is limited, held to the declared tensors and warmed up.
 *
 * <p>Blocks, often for seconds; on a loading worker. The caller owns the sessions.
 *
 * @param folder of the version
 * @param recorded what models bring to be warmed up with
 * @param maxOutputSize bytes of each output of a run
 */
record SessionOpener(
    RuntimeProvider runtime,
    ModelSource source,
    Path folder,
    RecordedRequests recorded,
    LoadMeters loads,
    long maxOutputSize,
    LongSupplier nanoTime) {
  /**
   * The sessions of a version.
   *
   * @param sessions one for each worker, ready to take requests: the first worker of each instance,
   *     then the second of each, so that the workers that are woken first share nothing
   * @param completed the model's settings, complete with what its files say
   * @param shared the first of each instance, which others share and any may outlive; empty if each
   *     worker has a session of its own
   */
  record Opened(
      List<ModelSession> sessions, CompletedSettings completed, List<ModelSession> shared) {
    /** Returns the settings. */
    ModelConfig config() {
      return completed.config();
    }
  }

  private static final int CORES = Runtime.getRuntime().availableProcessors();
  private static final Logger LOG = LoggerFactory.getLogger(SessionOpener.class);

  /**
   * Opens as many sessions as the model has instances, and shares each among as many workers as its
   * concurrency says; on failure, none stays open.
   */
  Opened open(ModelConfig said) {
    var sessions = new ArrayList<ModelSession>();
    try {
      sessions.add(load(said));
      CompletedSettings config =
          CompletedSettings.of(source.id(), said, sessions.getFirst(), folder);
      openSpread(config, sessions);
      ModelSession first = sessions.getFirst();
      RaggedSession.prove(first, source.id(), config.config());
      limitLast(config, sessions);
      warmUp(sessions.getLast(), config.config());
      var loaded = new ArrayList<>(List.of(first));
      while (loaded.size() < config.config().workers().instances()) {
        loaded.add(load(config.config()));
        addWarm(loaded.getLast(), config, sessions);
      }
      if (share(loaded, config, sessions)) {
        return new Opened(sessions, config, loaded);
      }
      sessions.replaceAll(session -> new ReopenableSession(() -> openAgain(config), session));
      int concurrency = Math.min(1, config.config().workers().concurrency());
      var workers = new Workers(loaded.size(), concurrency);
      return new Opened(sessions, config.withWorkers(workers), List.of());
    } catch (RuntimeException | Error e) {
      sessions.forEach(ModelSession::close);
      throw e;
    }
  }

  /**
   * Adds the sessions of the other workers, round by round: each runs what the first of its
   * instance has loaded, with arguments and outputs of its own. They are warm as that is. Returns
   * whether there are any.
   */
  private boolean share(
      List<ModelSession> loaded, CompletedSettings completed, List<ModelSession> sessions) {
    ModelConfig config = completed.config();
    for (int worker = 1; worker < config.concurrency(); worker++) {
      for (ModelSession first : loaded) {
        Optional<ModelSession> shared = first.share();
        if (shared.isEmpty()) {
          LOG.atWarn()
              .addKeyValue("model", source.id())
              .addKeyValue("concurrency", config.concurrency())
              .log("concurrency has no effect: a session of the model runs one request at a time");
          return false;
        }
        add(shared.get(), completed, sessions);
      }
    }
    return config.concurrency() > 1;
  }

  /**
   * Opens a session beside one whose run does not end: over what other workers run, so that its
   * variables stay one set, or another one if there is memory for it.
   */
  ModelSession openBeside(Opened opened) {
    for (ModelSession first : opened.shared()) {
      Optional<ModelSession> shared = first.share();
      if (shared.isPresent()) {
        return limited(shared.get(), opened.completed());
      }
    }
    AvailableMemory.requireFor(source.folder(), source.id());
    return openAgain(opened.completed());
  }

  private ModelSession limited(ModelSession session, CompletedSettings config) {
    var opened = new ArrayList<ModelSession>();
    try {
      add(session, config, opened);
      return opened.getLast();
    } catch (RuntimeException | Error e) {
      opened.forEach(ModelSession::close);
      throw e;
    }
  }

  /** Opens a session in place of one that was lost, ready to take requests. */
  private ModelSession openAgain(CompletedSettings config) {
    var opened = new ArrayList<ModelSession>();
    try {
      addWarm(load(config.config()), config, opened);
      return opened.getLast();
    } catch (RuntimeException | Error e) {
      opened.forEach(ModelSession::close);
      throw e;
    }
  }

  /** Adds a session; on any failure it is closed with the others. */
  private void add(ModelSession opened, CompletedSettings config, List<ModelSession> sessions) {
    sessions.add(opened);
    limitLast(config, sessions);
  }

  /** Holds the session that was added last to its limits; one that fails stays in the list. */
  private void limitLast(CompletedSettings completed, List<ModelSession> sessions) {
    int last = sessions.size() - 1;
    if (completed.config().stream().generator().isPresent()) {
      sessions.set(last, CacheBranchSession.of(sessions.get(last)));
    }
    completed
        .encoder()
        .ifPresent(encoder -> sessions.set(last, encoding(sessions.get(last), encoder, completed)));
    sessions.set(last, new LimitedSession(sessions.get(last), maxOutputSize));
    sessions.set(last, RaggedSession.before(sessions.get(last), source.id(), completed.config()));
    sessions.set(
        last, new DeclaredTensors(source.id(), completed.config()).applyTo(sessions.get(last)));
  }

  /** One request's texts may take the cores that further workers would have for other requests. */
  private static EncoderSession encoding(
      ModelSession session, TextEncoder encoder, CompletedSettings completed) {
    ModelConfig config = completed.config();
    boolean unlimited =
        InstanceLimit.of(config).stream().allMatch(limit -> limit.resources().isEmpty());
    return new EncoderSession(
        session, encoder, WorkerLimit.of(config, session, unlimited, CORES).most() - 1);
  }

  private void addWarm(ModelSession opened, CompletedSettings config, List<ModelSession> sessions) {
    add(opened, config, sessions);
    warmUp(sessions.getLast(), config.config());
  }

  /**
   * Opens the first session again if its runs are to be spread over the cores: only a session can
   * tell whether they should be, and its threads are those that it was opened with.
   */
  private void openSpread(CompletedSettings completed, List<ModelSession> sessions) {
    if (CORES > 1 && completed.config().runtimes().onnx().threads().areSpread()) {
      // Closed first, so that the model's weights are not in memory twice.
      sessions.removeFirst().close();
      sessions.add(load(completed.config()));
    }
  }

  private ModelSession load(ModelConfig config) {
    long begun = nanoTime.getAsLong();
    boolean opened = false;
    try {
      ModelSession session = runtime.open(source.with(config.runtimes()));
      opened = true;
      return session;
    } finally {
      loads.opened(path(), nanoTime.getAsLong() - begun, opened);
    }
  }

  private void warmUp(ModelSession session, ModelConfig config) {
    ModelId id = source.id();
    List<ModelWarmup> declared = config.declared().getModelWarmupList();
    if (!declared.isEmpty()) {
      Path model = VersionLocation.modelFolder(folder, id);
      new DeclaredWarmUp(session, id, model, config).run(declared);
    } else if (config.warmup() && recorded.areIn(source.folder())) {
      replay(session, config);
    } else if (config.warmup()) {
      WarmUp.run(session, id, config.batching().allowedBatchSizes());
    }
  }

  /**
   * Replays recorded requests; one that the model fails on is not measured, as under TensorFlow
   * Serving.
   */
  private void replay(ModelSession session, ModelConfig config) {
    long begun = nanoTime.getAsLong();
    try {
      int records =
          new RecordedWarmUp(session, source.id())
              .run(recorded, source.folder(), config.warmupIterations());
      loads.warmedUp(path(), nanoTime.getAsLong() - begun, records);
    } catch (InferenceException e) {
      if (e.code() == ErrorCode.DATA_LOSS) {
        loads.warmUpFailed(path(), nanoTime.getAsLong() - begun, e.code() + ": " + e.getMessage());
      }
      throw e;
    }
  }

  private String path() {
    return source.folder().toString();
  }
}
