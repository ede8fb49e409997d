package dev.sluice.testing;

import java.nio.file.Path;
import java.util.concurrent.Semaphore;

/**
 * A model whose runs wait until the test opens the gate, so that what a test sees in between does
 * not depend on how fast the machine is. One at a time in a process: the plugin finds it by a
 * system property. It takes {@code x} and answers {@code y}, vectors of {@code FP32}.
 */
public final class RunGate implements AutoCloseable {
  private static final String PROPERTY = "sluice.test.gate.run";
  private static final int OPEN = 1_000_000;

  private final Semaphore runs = new Semaphore(0);

  /**
   * Writes the plugin into the folder of a version, with the gate shut. The server has to trust the
   * model: {@code models.plugins} names it.
   */
  public RunGate(Path version) {
    new PluginJar().file("Gate").service("Model", "Gate").into(version);
    System.getProperties().put(PROPERTY, runs);
  }

  /** Waits until a run stands at the gate. */
  public void awaitRun() {
    Polling.await("a run stands at the gate", runs::hasQueuedThreads);
  }

  /** Lets all runs go on, those that wait and those that come. */
  public void open() {
    runs.release(OPEN);
  }

  /** Shuts the gate again for the runs that come. */
  public void shut() {
    runs.drainPermits();
  }

  /** Opens the gate and forgets it, for the runs of other tests. */
  @Override
  public void close() {
    System.getProperties().remove(PROPERTY);
    open();
  }
}
