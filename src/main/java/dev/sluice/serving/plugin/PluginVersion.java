package dev.sluice.serving.plugin;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.runtime.plugin.PluginCode;
import dev.sluice.runtime.plugin.PluginThreads;
import dev.sluice.scheduling.deadline.CallerContexts;
import dev.sluice.telemetry.meter.VersionMeter;
import io.vertx.core.Context;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The plugin of one loaded version with what its calls share. Any thread.
 *
 * @param answering threads of plain calls, which wait for each other
 * @param streaming threads of streams and HTTP calls, one each
 * @param limit of one call
 * @param leavePath gives its HTTP path back
 */
public record PluginVersion(
    PluginCode code,
    PluginThreads answering,
    PluginThreads streaming,
    Duration limit,
    RunMeters meters,
    Runnable leavePath,
    CallerContexts contexts,
    LongSupplier nanoTime) {
  public static PluginVersion of(
      PluginCode code,
      ModelConfig config,
      PluginPaths paths,
      VersionMeter meter,
      CallerContexts contexts,
      LongSupplier nanoTime) {
    String name = meter.model().name();
    Optional<String> path = config.runtimes().java().path();
    path.ifPresent(claimed -> claim(claimed, code, paths, name));
    return new PluginVersion(
        code,
        PluginThreads.queued(name, calls(config), config.queue().capacity()),
        PluginThreads.direct(name, config.stream().maxStreams()),
        config.runtimes().java().timeout(),
        new RunMeters(meter),
        () -> path.ifPresent(paths::leave),
        contexts,
        nanoTime);
  }

  /** Returns how many calls of the code run at once. */
  public static int calls(ModelConfig config) {
    int calls = config.runtimes().java().concurrency();
    return calls == 0 ? config.runsAtOnce() : calls;
  }

  private static void claim(String path, PluginCode code, PluginPaths paths, String model) {
    if (code.handler().isEmpty()) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "java.path is %s, but the jar of model '%s' has no HttpHandler".formatted(path, model));
    }
    paths.claim(path, model);
  }

  /** Returns the caller's event loop. */
  public Context callerContext() {
    return contexts.current();
  }

  /** Makes the error for a request whose caller has cancelled. */
  public static InferenceException left(InferenceRequest request) {
    return new InferenceException(
        ErrorCode.CANCELLED, "request " + request.requestId() + " was cancelled");
  }

  /**
   * Gives up the calls that answer requests, and refuses those that come. Streams and HTTP calls
   * are ended by those who keep them. Any thread; does not block.
   */
  public void stop(InferenceException why) {
    answering.stop(why);
  }

  /** Blocks until the calls have ended, for a bounded time. */
  public void close() {
    leavePath.run();
    answering.close();
    streaming.close();
    code.close();
  }
}
