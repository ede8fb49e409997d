import dev.sluice.extension.Answer;
import dev.sluice.extension.Converter;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Request;
import dev.sluice.extension.Value;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;

/** Numbers in a text go to the model; the sum of what it gives comes back as a text. */
public final class Totals implements Converter {
  private String input = "";

  @Override
  public ModelSignature signature(ModelSignature model) {
    input = model.inputs().getFirst().name();
    return ModelSignature.of(
        List.of(new TensorSpec("numbers", DataType.BYTES, Shape.of(1))),
        List.of(new TensorSpec("total", DataType.BYTES, Shape.of(1))));
  }

  @Override
  public List<Value> before(Request request) {
    String text = request.input("numbers").text();
    if (text.equals("misfit")) {
      return List.of(Value.text(input, text));
    }
    String[] numbers = text.split(" ");
    float[] values = new float[numbers.length];
    for (int i = 0; i < values.length; i++) {
      try {
        values[i] = Float.parseFloat(numbers[i]);
      } catch (NumberFormatException e) {
        throw Refusal.invalid("'" + numbers[i] + "' is no number");
      }
    }
    return List.of(Value.floats(input, Shape.of(1, values.length), values));
  }

  @Override
  public Answer after(Request request, Answer answer) {
    if (request.isCancelled()) {
      throw new IllegalStateException("cancelled");
    }
    float total = 0;
    for (float value : answer.outputs().getFirst().floats()) {
      total += value;
    }
    return Answer.of(Value.text("total", Float.toString(total)));
  }
}
