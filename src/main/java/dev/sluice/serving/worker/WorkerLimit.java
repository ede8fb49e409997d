package dev.sluice.serving.worker;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.runtime.ModelSession;

/**
 * How many workers a model may have at most where the settings leave it open.
 *
 * @param most workers, with those that it begins with; 1: no further ones
 * @param coresOfARun cores that a run keeps busy
 */
public record WorkerLimit(int most, int coresOfARun) {
  /**
   * Returns as many as the machine has cores for, or one: where the settings say how many, where
   * runs are not independent of each other, and where they wait for resources that are counted.
   *
   * @param cores of the machine, or of the container
   */
  public static WorkerLimit of(ModelConfig config, ModelInstances instances, int cores) {
    ModelSession first = instances.first();
    int threads =
        first.metadata().platform().startsWith("tensorflow")
            ? config.runtimes().tensorflow().intraOpThreads()
            : config.runtimes().onnx().intraOpThreads();
    int coresOfARun = threads == 0 ? cores : Math.min(threads, cores);
    boolean open =
        config.hasAutomaticConcurrency() && first.runsAreIndependent() && instances.areUnlimited();
    return new WorkerLimit(open ? cores / coresOfARun : 1, coresOfARun);
  }
}
