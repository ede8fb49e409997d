package dev.sluice.serving.loading;

import dev.sluice.config.compat.triton.proto.ModelWarmup;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.RecordedRequests;
import dev.sluice.runtime.LimitedSession;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.serving.AvailableMemory;
import dev.sluice.serving.warmup.DeclaredWarmUp;
import dev.sluice.serving.warmup.RecordedWarmUp;
import dev.sluice.serving.warmup.WarmUp;
import dev.sluice.serving.worker.ReopenableSession;
import dev.sluice.telemetry.meter.LoadMeters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Opens the sessions of one version: each is limited, held to the declared tensors and warmed up.
 *
 * <p>Blocks, often for seconds; on a loading worker. The caller owns the sessions.
 */
final class SessionOpener {
  /**
   * The sessions of a version.
   *
   * @param sessions one for each instance, ready to take requests
   * @param config the model's, complete with what its files say
   */
  record Opened(List<ModelSession> sessions, ModelConfig config) {}

  private final RuntimeProvider runtime;
  private final ModelSource source;
  private final Path folder;
  private final RecordedRequests recorded;
  private final LoadMeters loads;
  private final long maxOutputSize;
  private final LongSupplier nanoTime;

  /**
   * @param folder of the version
   * @param recorded what models bring to be warmed up with
   * @param maxOutputSize bytes of each output of a run
   */
  SessionOpener(
      RuntimeProvider runtime,
      ModelSource source,
      Path folder,
      RecordedRequests recorded,
      LoadMeters loads,
      long maxOutputSize,
      LongSupplier nanoTime) {
    this.runtime = runtime;
    this.source = source;
    this.folder = folder;
    this.recorded = recorded;
    this.loads = loads;
    this.maxOutputSize = maxOutputSize;
    this.nanoTime = nanoTime;
  }

  /** Opens as many sessions as the model has instances; on failure, none stays open. */
  Opened open(ModelConfig said) {
    var sessions = new ArrayList<ModelSession>();
    try {
      ModelSession first = open();
      sessions.add(first);
      ModelConfig config = DefaultBatchSize.complete(said, first.metadata());
      limitLast(config, sessions);
      warmUp(sessions.getFirst(), config);
      if (!openOthers(first, config, sessions)) {
        sessions.replaceAll(session -> new ReopenableSession(() -> openAgain(config), session));
      }
      return new Opened(sessions, config);
    } catch (RuntimeException | Error e) {
      sessions.forEach(ModelSession::close);
      throw e;
    }
  }

  /**
   * Opens the sessions beside the first one; returns whether any shares what the first has read.
   */
  private boolean openOthers(ModelSession first, ModelConfig config, List<ModelSession> sessions) {
    boolean sharing = false;
    while (sessions.size() < config.instances()) {
      Optional<ModelSession> shared = first.share();
      sharing |= shared.isPresent();
      add(shared.isPresent() ? shared.get() : open(), config, sessions);
      if (shared.isEmpty()) {
        warmUp(sessions.getLast(), config);
      }
    }
    return sharing;
  }

  /** Opens a session beside one whose run does not end, if there is memory for it. */
  ModelSession openBeside(ModelConfig config) {
    AvailableMemory.requireFor(source.folder(), source.id());
    return openAgain(config);
  }

  /** Opens a session in place of one that was lost, ready to take requests. */
  private ModelSession openAgain(ModelConfig config) {
    var opened = new ArrayList<ModelSession>();
    try {
      add(open(), config, opened);
      warmUp(opened.getLast(), config);
      return opened.getLast();
    } catch (RuntimeException | Error e) {
      opened.forEach(ModelSession::close);
      throw e;
    }
  }

  /** Adds a session; on any failure it is closed with the others. */
  private void add(ModelSession opened, ModelConfig config, List<ModelSession> sessions) {
    sessions.add(opened);
    limitLast(config, sessions);
  }

  /** Holds the session that was added last to its limits; one that fails stays in the list. */
  private void limitLast(ModelConfig config, List<ModelSession> sessions) {
    int last = sessions.size() - 1;
    sessions.set(last, new LimitedSession(sessions.get(last), maxOutputSize));
    sessions.set(last, new DeclaredTensors(source.id(), config).applyTo(sessions.get(last)));
  }

  private ModelSession open() {
    long begun = nanoTime.getAsLong();
    boolean opened = false;
    try {
      ModelSession session = runtime.open(source);
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
