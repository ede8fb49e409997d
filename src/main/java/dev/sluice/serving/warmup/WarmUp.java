package dev.sluice.serving.warmup;

import dev.sluice.inference.ErrorCode;
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
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a session before it has requests, so that what a runtime puts off until the first run is
 * done by then. The inputs are zeros and empty texts, with every open dimension 1, or of each size
 * that batches are padded to.
 */
public final class WarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

  /** Inputs above this many elements are not made up: the model's first request will do. */
  private static final long MAX_ELEMENTS = 16 * 1024 * 1024;

  private WarmUp() {}

  /**
   * Runs the default signature. A model may well refuse made-up inputs, a serialised example for
   * instance; that does not speak against it. A model that says each time that it is not in a state
   * to run, whatever the inputs, as one without its variables does, could not answer any request.
   *
   * @param batchSizes rows that batches are padded to; empty for none
   * @return how often it ran
   * @throws InferenceException with FAILED_PRECONDITION if every run failed so
   */
  public static int run(ModelSession session, ModelId id, List<Integer> batchSizes) {
    Signature signature = session.metadata().signatures().get(Signature.DEFAULT);
    if (signature == null) {
      return 0;
    }
    int runs = 0;
    var unready = new ArrayList<InferenceException>();
    for (int rows : batchSizes.isEmpty() ? List.of(1) : batchSizes) {
      if (signature.inputs().stream().allMatch(spec -> canBeMadeUp(spec, rows))) {
        run(session, id, signature, rows).ifPresent(unready::add);
        runs++;
      }
    }
    if (runs > 0 && unready.size() == runs) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "model %s cannot run: %s".formatted(id, unready.getFirst().getMessage()),
          unready.getFirst());
    }
    return runs;
  }

  /** Returns the failure if the model is its cause. */
  private static Optional<InferenceException> run(
      ModelSession session, ModelId id, Signature signature, int rows) {
    List<NamedTensor> inputs = new ArrayList<>();
    try {
      signature
          .inputs()
          .forEach(spec -> inputs.add(new NamedTensor(spec.name(), zeros(spec, rows))));
      NamedTensor.closeAll(session.run(signature, inputs, signature.supportedOutputs()));
      return Optional.empty();
    } catch (InferenceException e) {
      LOG.atDebug()
          .addKeyValue("model", id)
          .addKeyValue("reason", e.getMessage())
          .log("the model refused the warm-up's made-up inputs");
      return e.code() == ErrorCode.FAILED_PRECONDITION ? Optional.of(e) : Optional.empty();
    } finally {
      NamedTensor.closeAll(inputs);
    }
  }

  private static boolean canBeMadeUp(TensorSpec spec, int rows) {
    try {
      return spec.type() != DataType.UNSUPPORTED
          && spec.shape().isRankKnown()
          && closed(spec.shape(), rows).elementCount() <= MAX_ELEMENTS;
    } catch (ArithmeticException e) {
      return false;
    }
  }

  private static Tensor zeros(TensorSpec spec, int rows) {
    Shape shape = closed(spec.shape(), rows);
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

  private static Shape closed(Shape declared, int rows) {
    long[] dims = declared.dims();
    for (int i = 0; i < dims.length; i++) {
      int open = i == 0 ? rows : 1;
      dims[i] = dims[i] == Shape.ANY ? open : dims[i];
    }
    return Shape.of(dims);
  }
}
