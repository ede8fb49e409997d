import dev.sluice.extension.Answer;
import dev.sluice.extension.Model;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Request;
import dev.sluice.extension.Value;
import java.util.List;

/** Gives texts back behind its name. */
public final class Prefixed implements Model {
  @Override
  public ModelSignature signature() {
    return ModelSignature.OPEN;
  }

  @Override
  public Answer run(Request request) {
    String text = request.inputs().getFirst().text();
    return new Answer(List.of(Value.text("", "M2:" + text)), request.parameters());
  }
}
