package dev.sluice.serving.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.batching.RunCancellation;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log that a run of a model takes very long: one line for a run, since it may never
 * end.
 */
public final class SlowRunLog {
  private static final Logger LOG = LoggerFactory.getLogger(SlowRunLog.class);
  private static final Duration LONG = Duration.ofSeconds(30);

  private final ModelId model;
  private final Supplier<List<RunCancellation>> runs;

  @GuardedBy("this")
  private final Set<RunCancellation> logged = new HashSet<>();

  /**
   * @param runs of all workers, as they are now
   */
  public SlowRunLog(ModelId model, Supplier<List<RunCancellation>> runs) {
    this.model = model;
    this.runs = runs;
  }

  /** Logs those that have become long since the last look. */
  synchronized void look() {
    List<RunCancellation> now = runs.get();
    logged.retainAll(now);
    for (RunCancellation run : now) {
      long nanos = run.runningNanos();
      if (nanos < LONG.toNanos()) {
        logged.remove(run);
      } else if (logged.add(run)) {
        LOG.atWarn()
            .addKeyValue("model", model)
            .addKeyValue("seconds", Duration.ofNanos(nanos).toSeconds())
            .log("a run of the model takes long and has not ended");
      }
    }
  }

  /** Returns how many runs under way were logged. */
  synchronized int logged() {
    return logged.size();
  }
}
