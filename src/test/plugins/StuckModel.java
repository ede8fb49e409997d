import dev.sluice.extension.*;
import dev.sluice.tensor.*;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Never answers, and does not heed interruptions. */
public class StuckModel implements Model {
  @Override
  public ModelSignature signature() {
    return ModelSignature.of(
        List.of(new TensorSpec("steps", DataType.INT64, Shape.of())),
        List.of(new TensorSpec("y", DataType.INT64, Shape.of())));
  }

  @Override
  public Answer run(Request request) {
    System.out.println("the code of stuck waits");
    while (true) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
