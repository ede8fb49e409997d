package dev.sluice.scheduling.stream;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.tensor.NamedTensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** So many steps without inputs, each of which is sent as it is, unless it is one to keep. */
final class CountedSteps implements StreamSteps {
  private static final int NONE = -1;

  private final InferenceRequest stream;
  private final int count;
  private int kept = NONE;
  private int broken = NONE;
  private int made;
  private int taken;
  private final AtomicInteger closed = new AtomicInteger();
  private final AtomicInteger recomputed = new AtomicInteger();

  CountedSteps(InferenceRequest stream, int count) {
    this.stream = stream;
    this.count = count;
  }

  /** Sends nothing of this step, as of a token that makes no text. */
  CountedSteps keeping(int step) {
    kept = step;
    return this;
  }

  /** Cannot make this step. */
  CountedSteps breakingAt(int step) {
    broken = step;
    return this;
  }

  @Override
  public boolean isOver() {
    return taken == count;
  }

  @Override
  public InferenceRequest next() {
    if (made == broken) {
      throw new InferenceException(ErrorCode.INVALID_ARGUMENT, "step " + made + " is broken");
    }
    made++;
    return stream.step(stream.signature(), List.of(), List.of());
  }

  @Override
  public @Nullable List<NamedTensor> take(List<NamedTensor> outputs) {
    int step = taken++;
    if (step == kept) {
      NamedTensor.closeAll(outputs);
      return null;
    }
    return outputs;
  }

  @Override
  public boolean canRecompute() {
    return false;
  }

  @Override
  public void park() {
    // Nothing is kept.
  }

  @Override
  public void recompute() {
    recomputed.incrementAndGet();
  }

  /** Returns how often what is kept was freed, to be computed again. Any thread. */
  int recomputed() {
    return recomputed.get();
  }

  @Override
  public void close() {
    closed.incrementAndGet();
  }

  /** Returns how often it was closed. Any thread. */
  int closed() {
    return closed.get();
  }
}
