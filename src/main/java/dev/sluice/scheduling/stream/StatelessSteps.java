package dev.sluice.scheduling.stream;

import dev.sluice.tensor.NamedTensor;
import java.util.List;

/**
 * Steps of which nothing is kept for the next: outputs are sent as they are, and a stream that is
 * parked or preempted has nothing to free.
 */
interface StatelessSteps extends StreamSteps {
  @Override
  default boolean canRecompute() {
    return false;
  }

  @Override
  default void recompute() {
    throw new IllegalStateException("nothing is kept from step to step");
  }

  @Override
  default void park() {
    // Nothing is kept from step to step.
  }

  @Override
  default List<NamedTensor> take(List<NamedTensor> outputs) {
    return outputs;
  }
}
