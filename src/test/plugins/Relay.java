import dev.sluice.extension.Answer;
import dev.sluice.extension.Emitter;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Request;
import dev.sluice.extension.Setup;
import dev.sluice.extension.StreamingModel;
import dev.sluice.extension.Value;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;

/** Streams what another model streams, which it counts, and stops it where it likes. */
public final class Relay implements StreamingModel {
  private static final float NOBODY = -1;
  private static final float STOPPED = -2;

  private Setup setup;

  @Override
  public void open(Setup given) {
    setup = given;
  }

  @Override
  public ModelSignature signature() {
    return ModelSignature.of(
        List.of(new TensorSpec("x", DataType.FP32, Shape.of(1, 1))),
        List.of(
            new TensorSpec("y", DataType.FP32, Shape.of(1, 1)),
            new TensorSpec("count", DataType.INT64, Shape.of(1))));
  }

  @Override
  public void run(Request request, Emitter emitter) throws Exception {
    float first = request.input("x").floats()[0];
    String model = first == NOBODY ? "nobody" : "counter";
    var count = new long[1];
    setup.models().stream(
        model,
        request.inputs(),
        Map.of("steps", first == STOPPED ? 9 : 3),
        message -> {
          float[] y = message.outputs().getFirst().floats();
          emitter.emit(
              Answer.of(
                  Value.floats("y", Shape.of(1, 1), y),
                  Value.longs("count", Shape.of(1), ++count[0])));
          if (first == STOPPED && count[0] == 2) {
            throw Refusal.invalid("that is enough");
          }
        });
  }
}
