package dev.sluice.scheduling.stream;

import dev.sluice.inference.InferenceRequest;

/** A stream of one response. */
final class SingleStep implements StatelessSteps {
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
  public void close() {
    // The request owns everything.
  }
}
