package dev.sluice.loadtest.peer;

import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/** A model, opened as the server opens it. One thread at a time. */
public final class SessionRuns implements AutoCloseable {
  private final ModelSession session;
  private final Signature signature;
  private final TensorSpec input;

  /**
   * @param folder of a version of an ONNX model
   */
  public SessionRuns(Path folder) {
    session =
        new OnnxRuntimeProvider()
            .open(new ModelSource(new ModelId("bare", 1), folder, RuntimesConfig.DEFAULT));
    signature = session.metadata().signature("").orElseThrow();
    input = signature.inputs().getFirst();
  }

  /** What the model takes and answers. */
  Signature signature() {
    return signature;
  }

  /** The first input, of floats, with so many rows, to be filled, owned by the caller. */
  public NamedTensor input(int rows) {
    Shape declared = input.shape();
    long[] dims = new long[declared.rank()];
    for (int i = 0; i < dims.length; i++) {
      dims[i] = i == 0 ? rows : declared.dim(i);
    }
    Tensor tensor = Tensor.allocate(DataType.FP32, Shape.of(dims));
    tensor.data().fill((byte) 0);
    return new NamedTensor(input.name(), tensor);
  }

  /** An input of one row with these bytes. */
  public NamedTensor input(MemorySegment bytes) {
    NamedTensor one = input(1);
    one.tensor().data().copyFrom(bytes);
    return one;
  }

  /**
   * Runs the model on its only input, which stays the caller's. The outputs are the caller's too.
   */
  public List<NamedTensor> run(NamedTensor in) {
    return run(List.of(in));
  }

  /** Runs the model on inputs, which stay the caller's. The outputs are the caller's too. */
  List<NamedTensor> run(List<NamedTensor> in) {
    return session.run(signature, in, signature.outputs());
  }

  @Override
  public void close() {
    session.close();
  }
}
