package dev.sluice.serving.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.ModelId;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.telemetry.meter.SessionCondition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks the lost sessions of a model. The model is out of service while all of them are. Any
 * thread.
 */
public final class ModelRecovery implements SessionCondition {
  private static final Logger LOG = LoggerFactory.getLogger(ModelRecovery.class);

  /** The line in which the kernel reports the resident memory of a process, in KiB. */
  private static final String RESIDENT = "VmRSS:";

  private static final long KIB = 1024;

  private final ModelId model;
  private final List<ModelSession> sessions;
  private final CircuitBreaker breaker;
  private final Runnable refuseWaiting;

  @GuardedBy("this")
  private final Set<SessionRecovery> lost = new HashSet<>();

  private final LongAdder restarts = new LongAdder();

  /**
   * @param refuseWaiting refuses what waits for a model that cannot be opened
   */
  public ModelRecovery(
      ModelId model, List<ModelSession> sessions, CircuitBreaker breaker, Runnable refuseWaiting) {
    this.model = model;
    this.sessions = List.copyOf(sessions);
    this.breaker = breaker;
    this.refuseWaiting = refuseWaiting;
  }

  /**
   * Records that a session is lost.
   *
   * @param why it ended, or could not be opened
   * @param wait after which it is tried
   * @param failed whether it was tried
   */
  void lost(SessionRecovery session, String why, Duration wait, boolean failed) {
    boolean all;
    synchronized (this) {
      lost.add(session);
      all = lost.size() == sessions.size();
      if (all) {
        breaker.reopening(why, wait, failed);
      }
    }
    if (failed) {
      LOG.atWarn()
          .addKeyValue("model", model)
          .addKeyValue("reason", why)
          .addKeyValue("next", wait.toMillis() + " ms")
          .log("a session of the model cannot be opened again");
      if (all) {
        refuseWaiting.run();
      }
    }
  }

  /** Records that a session is restored. */
  synchronized void restored(SessionRecovery session) {
    restarts.increment();
    lost.remove(session);
    breaker.reopened();
    LOG.atInfo().addKeyValue("model", model).log("a session of the model was opened again");
  }

  @Override
  public long restarts() {
    return restarts.sum();
  }

  @Override
  public Map<Long, Long> processes() {
    return sessions.stream()
        .flatMap(session -> session.process().stream())
        .filter(ProcessHandle::isAlive)
        .collect(Collectors.toMap(ProcessHandle::pid, ModelRecovery::resident));
  }

  /** 0 if it has just ended. */
  private static long resident(ProcessHandle process) {
    try (var lines = Files.lines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
      return lines
          .filter(line -> line.startsWith(RESIDENT))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KIB)
          .sum();
    } catch (IOException | UncheckedIOException e) {
      LOG.debug("process {} is not there", process.pid(), e);
      return 0;
    }
  }
}
