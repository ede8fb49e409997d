import dev.sluice.extension.Answer;
import dev.sluice.extension.Converter;
import dev.sluice.extension.Request;
import dev.sluice.extension.Value;
import java.util.List;

/** A converter that changes nothing. */
public class Same implements Converter {
  @Override
  public List<Value> before(Request request) {
    return request.inputs();
  }

  @Override
  public Answer after(Request request, Answer answer) {
    return answer;
  }
}
