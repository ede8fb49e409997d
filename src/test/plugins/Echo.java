import dev.sluice.extension.Answer;
import dev.sluice.extension.Emitter;
import dev.sluice.extension.Model;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Request;
import dev.sluice.extension.StreamingModel;
import dev.sluice.extension.Value;
import dev.sluice.tensor.Shape;
import java.util.List;
import java.util.Map;

/** Gives back the message that came, of whatever form; some texts ask for something else. */
public class Echo implements Model, StreamingModel {
  private static final Value ONE = Value.floats("a", Shape.of(1), 1);

  @Override
  public ModelSignature signature() {
    return ModelSignature.OPEN;
  }

  @Override
  public Answer run(Request request) {
    return switch (text(request)) {
      case "bin" ->
          Answer.of(Value.bytes("", new byte[] {0, 1, 'a', 'b', 'c'}))
              .with("grps.data", "bin_data");
      case "empty" -> Answer.of();
      case "twice" -> Answer.of(ONE, ONE);
      case "maptwice" -> Answer.of(ONE, ONE).with("grps.data", "gmap");
      case "f" -> Answer.of(ONE, ONE.named("b"));
      case "raise" -> throw new IllegalStateException("boom");
      case "err" -> throw new Refusal(Refusal.Kind.INTERNAL, "bad <thing>");
      default -> new Answer(request.inputs(), request.parameters());
    };
  }

  @Override
  public void run(Request request, Emitter emitter) throws Exception {
    switch (text(request)) {
      case "sfinal" -> {
        emitter.emit(message("one"));
        emitter.last(message("two"));
        emitter.emit(message("three"));
      }
      case "sraise" -> {
        emitter.emit(message("one"));
        throw new IllegalStateException("boom");
      }
      case "stwice" -> {
        emitter.emit(message("one"));
        emitter.emit(Answer.of(ONE, ONE));
      }
      case "snone" -> {}
      case "sbin" ->
          emitter.emit(
              new Answer(
                  List.of(Value.bytes("", new byte[] {'a', 'b', (byte) 0xFF})),
                  Map.of("grps.data", "bin_data")));
      default -> {
        emitter.emit(message("stream data 1"));
        emitter.emit(message("stream data 2"));
      }
    }
  }

  private static Answer message(String text) {
    return Answer.of(Value.text("", text)).with("grps.data", "str_data");
  }

  private static String text(Request request) {
    return "str_data".equals(request.parameters().get("grps.data"))
        ? request.inputs().getFirst().text()
        : "";
  }
}
