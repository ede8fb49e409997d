import dev.sluice.extension.*;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Never asks its model, and does not heed interruptions. */
public class StuckConverter implements Converter {
  @Override
  public List<Value> before(Request request) {
    System.out.println("the code of wrapped waits");
    while (true) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Override
  public Answer after(Request request, Answer answer) {
    return answer;
  }
}
