package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs of one session, one at a time. The arrays that the C call wants are made once and filled
 * again for each run.
 */
final class OnnxRun implements AutoCloseable {
  private final SessionHandle handle;
  private final RunOptions options = new RunOptions();
  private final OnnxValues values;
  private final ScoreMaps maps;
  private final boolean hasMaps;
  private final KnownShapes known = new KnownShapes();

  /** Shared, because the thread that closes a session is seldom the one that opened it. */
  private final Arena arena = Arena.ofShared();

  private final Map<String, MemorySegment> inputNames = new HashMap<>();
  private final Map<String, MemorySegment> outputNames = new HashMap<>();
  private final MemorySegment inputNameArray;
  private final MemorySegment inputArray;
  private final MemorySegment outputNameArray;
  private final MemorySegment outputArray;

  OnnxRun(SessionHandle handle, Signature signature) {
    this.handle = handle;
    this.values = new OnnxValues(arena);
    this.maps = new ScoreMaps(arena, values);
    this.hasMaps = signature.outputs().stream().anyMatch(ScoreMaps::holds);
    signature.inputs().forEach(spec -> inputNames.put(spec.name(), nativeName(spec)));
    signature.outputs().forEach(spec -> outputNames.put(spec.name(), nativeName(spec)));
    this.inputNameArray = arena.allocate(JAVA_LONG, signature.inputs().size());
    this.inputArray = arena.allocate(JAVA_LONG, signature.inputs().size());
    this.outputNameArray = arena.allocate(JAVA_LONG, signature.outputs().size());
    this.outputArray = arena.allocate(JAVA_LONG, signature.outputs().size());
  }

  private MemorySegment nativeName(TensorSpec spec) {
    return arena.allocateFrom(spec.nativeName());
  }

  List<NamedTensor> run(List<NamedTensor> inputs, List<TensorSpec> outputs) {
    if (inputs.size() > inputNames.size() || outputs.size() > outputNames.size()) {
      throw InferenceException.invalid(
          "the model has %d inputs and %d outputs; the request gives %d and wants %d"
              .formatted(inputNames.size(), outputNames.size(), inputs.size(), outputs.size()));
    }
    if (hasMaps) {
      return call(inputs, outputs, List.of());
    }
    List<Shape> shapes = known.find(inputs, outputs);
    if (shapes == null) {
      List<NamedTensor> taken = call(inputs, outputs, List.of());
      known.add(inputs, outputs, taken);
      return taken;
    }
    List<NamedTensor> pinned = allocate(outputs, shapes);
    try {
      return call(inputs, outputs, pinned);
    } catch (InferenceException e) {
      NamedTensor.closeAll(pinned);
      return callAgain(inputs, outputs);
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(pinned);
      throw e;
    }
  }

  private static List<NamedTensor> allocate(List<TensorSpec> outputs, List<Shape> shapes) {
    var tensors = new ArrayList<NamedTensor>(outputs.size());
    try {
      for (int i = 0; i < outputs.size(); i++) {
        TensorSpec output = outputs.get(i);
        tensors.add(new NamedTensor(output.name(), Tensor.allocate(output.type(), shapes.get(i))));
      }
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(tensors);
      throw e;
    }
    return tensors;
  }

  /** After a run failed that was given memory: if it was for that, the next ones are not. */
  private List<NamedTensor> callAgain(List<NamedTensor> inputs, List<TensorSpec> outputs) {
    List<NamedTensor> taken = call(inputs, outputs, List.of());
    known.distrust();
    return taken;
  }

  /**
   * Runs the model.
   *
   * @param pinned memory for all outputs; or none, and the runtime finds it
   */
  private List<NamedTensor> call(
      List<NamedTensor> inputs, List<TensorSpec> outputs, List<NamedTensor> pinned) {
    List<TensorSpec> computed = hasMaps ? ScoreMaps.distinct(outputs) : outputs;
    try {
      for (int i = 0; i < inputs.size(); i++) {
        putInput(i, inputs.get(i));
      }
      for (int i = 0; i < computed.size(); i++) {
        putOutput(i, computed.get(i));
      }
      for (int i = 0; i < pinned.size(); i++) {
        outputArray.setAtIndex(JAVA_LONG, i, values.wrap(pinned.get(i)));
      }
      OrtApi.run(
          handle.session(),
          options.address(),
          inputNameArray.address(),
          inputArray.address(),
          inputs.size(),
          outputNameArray.address(),
          computed.size(),
          outputArray.address());
      return pinned.isEmpty() ? takeOutputs(inputs, outputs, computed) : pinned;
    } finally {
      releaseAll(inputArray);
      releaseAll(outputArray);
    }
  }

  private void putInput(int index, NamedTensor input) {
    MemorySegment name = inputNames.get(input.name());
    if (name == null) {
      throw InferenceException.invalid("the model has no input '" + input.name() + "'");
    }
    inputNameArray.setAtIndex(JAVA_LONG, index, name.address());
    inputArray.setAtIndex(JAVA_LONG, index, values.wrap(input));
  }

  private void putOutput(int index, TensorSpec output) {
    MemorySegment name = outputNames.get(output.name());
    if (name == null) {
      throw InferenceException.invalid("the model has no output '" + output.name() + "'");
    }
    if (output.type() == DataType.UNSUPPORTED) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          "output '"
              + output.name()
              + "' is of type "
              + output.nativeType()
              + ", which no protocol here can carry");
    }
    outputNameArray.setAtIndex(JAVA_LONG, index, name.address());
  }

  private List<NamedTensor> takeOutputs(
      List<NamedTensor> inputs, List<TensorSpec> outputs, List<TensorSpec> computed) {
    var taken = new ArrayList<NamedTensor>(outputs.size());
    try {
      for (int i = 0; i < outputs.size(); i++) {
        TensorSpec output = outputs.get(i);
        int place = hasMaps ? ScoreMaps.place(output, computed) : i;
        taken.add(new NamedTensor(output.name(), takeOutput(place, output, inputs)));
      }
      return taken;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(taken);
      throw e;
    }
  }

  private Tensor takeOutput(int index, TensorSpec output, List<NamedTensor> inputs) {
    long value = outputArray.getAtIndex(JAVA_LONG, index);
    if (hasMaps && ScoreMaps.holds(output)) {
      return maps.read(value, output);
    }
    DataType type = values.readTypeAndShape(value);
    if (type == DataType.BYTES) {
      return OnnxStrings.read(value, values.shape());
    }
    MemorySegment data = values.data(value, type);
    if (liesInAny(inputs, data)) {
      Tensor copy = Tensor.allocate(type, values.shape());
      copy.data().copyFrom(data);
      return copy;
    }
    Tensor adopted = adopt(value, type, data);
    outputArray.setAtIndex(JAVA_LONG, index, 0);
    return adopted;
  }

  private Tensor adopt(long value, DataType type, MemorySegment data) {
    handle.retain();
    return Tensor.adopt(
        type,
        values.shape(),
        data,
        () -> {
          OrtApi.releaseValue(value);
          handle.release();
        });
  }

  /** Whether a model handed an input through as its output, memory and all. */
  private static boolean liesInAny(List<NamedTensor> inputs, MemorySegment data) {
    for (int i = 0; i < inputs.size(); i++) {
      MemorySegment input = inputs.get(i).tensor().data();
      long offset = data.address() - input.address();
      if (offset >= 0 && offset < input.byteSize()) {
        return true;
      }
    }
    return false;
  }

  private static void releaseAll(MemorySegment array) {
    for (long i = 0; i < array.byteSize() / Long.BYTES; i++) {
      long value = array.getAtIndex(JAVA_LONG, i);
      if (value != 0) {
        OrtApi.releaseValue(value);
        array.setAtIndex(JAVA_LONG, i, 0);
      }
    }
  }

  /** What ends a run that is under way. */
  RunOptions options() {
    return options;
  }

  @Override
  public void close() {
    options.close();
    arena.close();
  }
}
