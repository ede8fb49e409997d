import dev.sluice.extension.Answer;
import dev.sluice.extension.Emitter;
import dev.sluice.extension.Model;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Request;
import dev.sluice.extension.StreamingModel;
import dev.sluice.extension.Value;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Doubles numbers; some of them do something else. Streams count up to the first one. */
public final class Doubler implements Model, StreamingModel {
  private static final float UNCHECKED = -1;
  private static final float REFUSED = -2;
  private static final float SLEEPS = -3;
  private static final float DEAF = -4;
  private static final float WRONG_TYPE = -5;
  private static final float MISSING_CLASS = -6;

  @Override
  public ModelSignature signature() {
    return ModelSignature.of(
        List.of(new TensorSpec("x", DataType.FP32, Shape.of(Shape.ANY))),
        List.of(new TensorSpec("y", DataType.FP32, Shape.of(Shape.ANY))));
  }

  @Override
  public Answer run(Request request) throws Exception {
    float[] x = request.input("x").floats();
    float first = x.length == 0 ? 0 : x[0];
    if (first == UNCHECKED) {
      throw new IllegalStateException("boom");
    } else if (first == REFUSED) {
      throw Refusal.invalid("-2 is not a number that I like");
    } else if (first == SLEEPS) {
      new CountDownLatch(1).await();
    } else if (first == DEAF) {
      deaf();
    } else if (first == WRONG_TYPE) {
      return Answer.of(Value.longs("y", Shape.of(1), 1));
    } else if (first == MISSING_CLASS) {
      return Missing.answer();
    }
    for (int i = 0; i < x.length; i++) {
      x[i] *= 2;
    }
    return Answer.of(Value.floats("y", Shape.of(x.length), x));
  }

  private static void deaf() {
    while (!Boolean.getBoolean("sluice.test.deaf.over")) {
      Thread.interrupted();
      Thread.onSpinWait();
    }
  }

  @Override
  public void run(Request request, Emitter emitter) throws Exception {
    float[] x = request.input("x").floats();
    for (int i = 1; i <= x[0]; i++) {
      emitter.emit(Answer.of(Value.floats("y", Shape.of(1), i)));
    }
    if (x[0] < 0) {
      emitter.emit(Answer.of(Value.floats("y", Shape.of(1), 0)));
      throw new IllegalStateException("broken in the middle");
    }
  }
}
