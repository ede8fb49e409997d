import dev.sluice.extension.Answer;
import dev.sluice.extension.Model;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Request;
import dev.sluice.extension.Value;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;

/** Says a text again. */
public final class Parrot implements Model {
  private static final TensorSpec TEXT = new TensorSpec("TEXT", DataType.BYTES, Shape.of(1));

  /** What takes a text, and may be told whether its answer is to be streamed. */
  static ModelSignature ofTexts() {
    var stream = new TensorSpec("STREAM", DataType.BOOL, Shape.of(1), true, "STREAM", "BOOL");
    return ModelSignature.of(List.of(TEXT, stream), List.of(TEXT));
  }

  @Override
  public ModelSignature signature() {
    return ofTexts();
  }

  @Override
  public Answer run(Request request) {
    return Answer.of(Value.text("TEXT", request.input("TEXT").texts().getFirst()));
  }
}
