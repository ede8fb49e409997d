import dev.sluice.extension.Answer;
import dev.sluice.extension.Emitter;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Request;
import dev.sluice.extension.StreamingModel;
import dev.sluice.extension.Value;

/** Says the words of a text again one by one, and fails at the word FAIL. */
public final class Chatter implements StreamingModel {
  @Override
  public ModelSignature signature() {
    return Parrot.ofTexts();
  }

  @Override
  public void run(Request request, Emitter emitter) throws InterruptedException {
    String text = request.input("TEXT").texts().getFirst();
    for (String word : text.isEmpty() ? new String[0] : text.split(" ")) {
      if (word.equals("FAIL")) {
        throw new IllegalStateException("it chokes on a word");
      }
      emitter.emit(Answer.of(Value.text("TEXT", word)));
    }
  }
}
