package dev.sluice.serving;

import dev.sluice.config.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.repository.LoadedModel;
import dev.sluice.repository.Loader;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Opens models with the runtime that recognises their files, and puts them to work. */
public final class ServableLoader implements Loader {
  private final List<RuntimeProvider> runtimes;
  private final Vertx vertx;
  private final LongSupplier nanoTime;
  private final AtomicLong loads = new AtomicLong();

  public ServableLoader(List<RuntimeProvider> runtimes, Vertx vertx, LongSupplier nanoTime) {
    this.runtimes = List.copyOf(runtimes);
    this.vertx = vertx;
    this.nanoTime = nanoTime;
  }

  @Override
  public LoadedModel load(ModelId id, Path folder, ModelConfig config) {
    RuntimeProvider runtime = runtimeFor(id, folder);
    var source = new ModelSource(id, folder, config.runtimes());
    var sessions = new ArrayList<ModelSession>();
    try {
      while (sessions.size() < config.instances()) {
        sessions.add(runtime.open(source));
        if (config.warmup()) {
          WarmUp.run(sessions.getLast(), id, config.batching().allowedBatchSizes());
        }
      }
      ModelMetadata metadata =
          sessions.getFirst().metadata().withMaxBatchSize(config.batching().maxBatchSize());
      return ServableModel.start(metadata, sessions, config, poolName(id), vertx, nanoTime);
    } catch (RuntimeException | Error e) {
      sessions.forEach(ModelSession::close);
      throw e;
    }
  }

  private RuntimeProvider runtimeFor(ModelId id, Path folder) {
    for (RuntimeProvider runtime : runtimes) {
      if (runtime.recognises(folder)) {
        return runtime;
      }
    }
    throw new InferenceException(
        ErrorCode.INVALID_ARGUMENT,
        "no runtime here (%s) recognises the files of model %s in %s"
            .formatted(
                runtimes.stream().map(RuntimeProvider::name).collect(Collectors.joining(", ")),
                id,
                folder));
  }

  /** Two loads of the same version, one replacing the other, must not share their threads. */
  private String poolName(ModelId id) {
    return "model-" + id + "-" + loads.incrementAndGet();
  }
}
