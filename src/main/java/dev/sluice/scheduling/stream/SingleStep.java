package dev.sluice.scheduling.stream;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.tensor.NamedTensor;
import java.util.List;

/** A stream of one response. */
final class SingleStep implements StreamSteps {
  private final InferenceRequest request;
  private boolean made;

  SingleStep(InferenceRequest request) {
    this.request = request;
  }

  @Override
  public boolean isOver() {
    return made;
  }

  /** Returns the request's own inputs: it outlives its steps, but does not need them any more. */
  @Override
  public InferenceRequest next() {
    made = true;
    return request.step(request.signature(), request.inputs(), request.outputs());
  }

  @Override
  public boolean canRecompute() {
    return false;
  }

  @Override
  public void recompute() {
    throw new IllegalStateException("nothing is kept from step to step");
  }

  @Override
  public void park() {
    // Nothing is kept from step to step.
  }

  @Override
  public List<NamedTensor> take(List<NamedTensor> outputs) {
    return outputs;
  }

  @Override
  public void close() {
    // The request owns everything.
  }
}
