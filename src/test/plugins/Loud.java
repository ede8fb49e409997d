import dev.sluice.extension.Answer;
import dev.sluice.extension.Converter;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Request;
import dev.sluice.extension.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Has a model of text shout: prompts and answers are in capitals. */
public final class Loud implements Converter {
  @Override
  public List<Value> before(Request request) {
    String text = request.input("text").text();
    if (text.isBlank()) {
      throw Refusal.invalid("there is nothing to shout");
    }
    return List.of(Value.text("text", text.toUpperCase(Locale.ROOT)));
  }

  @Override
  public Answer after(Request request, Answer answer) {
    boolean stumbles = request.input("text").text().equals("stumble");
    List<Value> outputs = new ArrayList<>();
    for (Value output : answer.outputs()) {
      boolean text = output.name().equals("text");
      if (stumbles && text && output.text().contains("!")) {
        throw new IllegalStateException("a stumble");
      }
      outputs.add(text ? Value.text("text", output.text().toUpperCase(Locale.ROOT)) : output);
    }
    return new Answer(outputs, answer.parameters());
  }
}
