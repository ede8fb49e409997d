import dev.sluice.extension.Answer;
import dev.sluice.extension.Model;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Request;
import dev.sluice.extension.Setup;
import dev.sluice.extension.Value;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;

/**
 * Takes as many milliseconds as it is asked to, times a factor of its settings, without a
 * processor: several servers on one machine are as independent as if each had an accelerator of its
 * own.
 */
public final class Sleeper implements Model {
  private double factor = 1;

  @Override
  public void open(Setup setup) {
    factor = Double.parseDouble(setup.settings().getOrDefault("factor", "1"));
  }

  @Override
  public ModelSignature signature() {
    return ModelSignature.of(
        List.of(new TensorSpec("millis", DataType.FP32, Shape.of(Shape.ANY))),
        List.of(new TensorSpec("slept", DataType.FP32, Shape.of(Shape.ANY))));
  }

  @Override
  public Answer run(Request request) throws InterruptedException {
    float millis = request.input("millis").floats()[0];
    Thread.sleep((long) (millis * factor));
    return Answer.of(Value.floats("slept", Shape.of(1), millis));
  }
}
