package dev.sluice.serving;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a session once before anybody waits for it, so that what a runtime puts off until the first
 * run is done by then. The inputs are zeros and empty texts, with every open dimension 1.
 */
final class WarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

  /** Inputs above this many elements are not made up: the model's first request will do. */
  private static final long MAX_ELEMENTS = 16 * 1024 * 1024;

  private WarmUp() {}

  /**
   * Runs the default signature. A model may well refuse made-up inputs, a serialised example for
   * instance; that does not speak against it.
   */
  static void run(ModelSession session, ModelId id) {
    Signature signature = session.metadata().signatures().get(Signature.DEFAULT);
    if (signature == null || !signature.inputs().stream().allMatch(WarmUp::canBeMadeUp)) {
      return;
    }
    List<NamedTensor> inputs = new ArrayList<>();
    try {
      signature.inputs().forEach(spec -> inputs.add(new NamedTensor(spec.name(), zeros(spec))));
      NamedTensor.closeAll(session.run(signature, inputs, signature.supportedOutputs()));
    } catch (InferenceException e) {
      LOG.atDebug()
          .addKeyValue("model", id)
          .addKeyValue("reason", e.getMessage())
          .log("the model refused the warm-up's made-up inputs");
    } finally {
      NamedTensor.closeAll(inputs);
    }
  }

  private static boolean canBeMadeUp(TensorSpec spec) {
    try {
      return spec.type() != DataType.UNSUPPORTED
          && spec.shape().isRankKnown()
          && closed(spec.shape()).elementCount() <= MAX_ELEMENTS;
    } catch (ArithmeticException e) {
      return false;
    }
  }

  private static Tensor zeros(TensorSpec spec) {
    Shape shape = closed(spec.shape());
    if (spec.type() == DataType.BYTES) {
      return emptyTexts(shape);
    }
    Tensor tensor = Tensor.allocate(spec.type(), shape);
    tensor.data().fill((byte) 0);
    return tensor;
  }

  private static Tensor emptyTexts(Shape shape) {
    try (var builder = new TensorBuilder(DataType.BYTES, 0)) {
      for (long i = 0; i < shape.elementCount(); i++) {
        builder.putBytes(new byte[0], 0, 0);
      }
      return builder.build(shape);
    }
  }

  private static Shape closed(Shape declared) {
    long[] dims = declared.dims();
    for (int i = 0; i < dims.length; i++) {
      dims[i] = dims[i] == Shape.ANY ? 1 : dims[i];
    }
    return Shape.of(dims);
  }
}
