import dev.sluice.extension.Answer;
import dev.sluice.extension.BatchModel;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Outcome;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Request;
import dev.sluice.extension.Value;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/** Doubles numbers and says how many requests its call has; some numbers do something else. */
public final class Counted implements BatchModel {
  private static final float REFUSED = -1;
  private static final float BREAKS_ALL = -2;
  private static final float UNTIL_CANCELLED = -3;
  private static final float UNTIL_INTERRUPTED = -4;
  private static final float WRONG_TYPE = -5;
  private static final float GATED = -6;

  @Override
  public ModelSignature signature() {
    return ModelSignature.of(
        List.of(new TensorSpec("x", DataType.FP32, Shape.of(Shape.ANY))),
        List.of(
            new TensorSpec("y", DataType.FP32, Shape.of(Shape.ANY)),
            new TensorSpec("together", DataType.INT64, Shape.of(1))));
  }

  @Override
  public List<Outcome> run(List<Request> requests) throws Exception {
    var outcomes = new ArrayList<Outcome>();
    for (Request request : requests) {
      outcomes.add(outcome(request, requests.size()));
    }
    return outcomes;
  }

  private static Outcome outcome(Request request, int together) throws Exception {
    float[] x = request.input("x").floats();
    float first = x.length == 0 ? 0 : x[0];
    if (first == REFUSED) {
      return Refusal.invalid("-1 is refused");
    } else if (first == BREAKS_ALL) {
      throw new IllegalStateException("-2 breaks all");
    } else if (first == UNTIL_CANCELLED) {
      while (!request.isCancelled()) {
        Thread.onSpinWait();
      }
    } else if (first == UNTIL_INTERRUPTED) {
      new CountDownLatch(1).await();
    } else if (first == WRONG_TYPE) {
      return Answer.of(Value.longs("y", Shape.of(1), 1), Value.longs("together", Shape.of(1), 1));
    }
    if (first == GATED
        && System.getProperties().get("sluice.test.counted.gate") instanceof Semaphore gate) {
      gate.acquire();
    }
    for (int i = 0; i < x.length; i++) {
      x[i] *= 2;
    }
    return Answer.of(
        Value.floats("y", Shape.of(x.length), x), Value.longs("together", Shape.of(1), together));
  }
}
