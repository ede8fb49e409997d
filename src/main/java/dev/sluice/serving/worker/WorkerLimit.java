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
   * Returns the limit of a model with these instances.
   *
   * @param cores of the machine, or of the container
   */
  public static WorkerLimit of(ModelConfig config, ModelInstances instances, int cores) {
    return of(config, instances.first(), instances.areUnlimited(), cores);
  }

  /**
   * Returns as many as the machine has cores for, or one: where the settings say how many, where
   * runs are not independent of each other, and where they wait for resources that are counted.
   *
   * @param first of the model's sessions; borrowed
   * @param areUnlimited whether runs wait for nothing that is counted
   * @param cores of the machine, or of the container
   */
  public static WorkerLimit of(
      ModelConfig config, ModelSession first, boolean areUnlimited, int cores) {
    int threads =
        first.metadata().platform().startsWith("tensorflow")
            ? config.runtimes().tensorflow().intraOpThreads()
            : config.runtimes().onnx().threads().coresOfARun();
    int coresOfARun = threads == 0 ? cores : Math.min(threads, cores);
    boolean open = config.hasAutomaticConcurrency() && first.runsAreIndependent() && areUnlimited;
    return new WorkerLimit(open ? cores / coresOfARun : 1, coresOfARun);
  }
}
