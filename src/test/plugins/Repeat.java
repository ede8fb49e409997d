import dev.sluice.extension.Answer;
import dev.sluice.extension.Emitter;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Request;
import dev.sluice.extension.StreamingModel;
import dev.sluice.extension.Value;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.List;

/**
 * Triton's {@code repeat_int32}: one response for each element of IN, each so many milliseconds
 * after the one before as DELAY says; it returns after the milliseconds of WAIT.
 */
public final class Repeat implements StreamingModel {
  @Override
  public ModelSignature signature() {
    return ModelSignature.of(
        List.of(
            new TensorSpec("IN", DataType.INT32, Shape.of(Shape.ANY)),
            new TensorSpec("DELAY", DataType.UINT32, Shape.of(Shape.ANY)),
            new TensorSpec("WAIT", DataType.UINT32, Shape.of(1))),
        List.of(
            new TensorSpec("OUT", DataType.INT32, Shape.of(1)),
            new TensorSpec("IDX", DataType.UINT32, Shape.of(1))));
  }

  @Override
  public void run(Request request, Emitter emitter) throws InterruptedException {
    int[] in = request.input("IN").ints();
    IntBuffer delays = request.input("DELAY").data().asIntBuffer();
    if (delays.remaining() != in.length) {
      throw Refusal.invalid("IN and DELAY have not the same number of elements");
    }
    for (int i = 0; i < in.length; i++) {
      Thread.sleep(Integer.toUnsignedLong(delays.get(i)));
      emitter.emit(Answer.of(Value.ints("OUT", Shape.of(1), in[i]), index(i)));
    }
    Thread.sleep(Integer.toUnsignedLong(request.input("WAIT").data().asIntBuffer().get(0)));
  }

  private static Value index(int index) {
    byte[] bytes =
        ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(index).array();
    return Value.of("IDX", DataType.UINT32, Shape.of(1), bytes);
  }
}
