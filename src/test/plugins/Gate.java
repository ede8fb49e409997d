import dev.sluice.extension.Answer;
import dev.sluice.extension.Model;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Request;
import dev.sluice.extension.Value;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Waits where the test lets it: the loading of a version, or a run, needs a permit of the semaphore
 * that the system properties hold.
 */
public final class Gate implements Model {
  public Gate() {
    await("sluice.test.gate.load");
  }

  @Override
  public ModelSignature signature() {
    return ModelSignature.of(
        List.of(new TensorSpec("x", DataType.FP32, Shape.of(Shape.ANY))),
        List.of(new TensorSpec("y", DataType.FP32, Shape.of(Shape.ANY))));
  }

  @Override
  public Answer run(Request request) {
    await("sluice.test.gate.run");
    return Answer.of(Value.floats("y", Shape.of(1), 1));
  }

  private static void await(String name) {
    if (System.getProperties().get(name) instanceof Semaphore permits) {
      permits.acquireUninterruptibly();
    }
  }
}
