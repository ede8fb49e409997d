package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.CarriedOutputs;
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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs of one session, one at a time. The arrays that the C call wants are made once and filled
 * again for each run.
 *
 * <p>Memory of names and of the argument arrays is allocated once for a session, not for each run.
 */
final class OnnxRun implements AutoCloseable {
  private final SessionHandle handle;
  private final RunOptions options = new RunOptions();
  private final OnnxValues values;
  private final ScoreMaps maps;
  private final boolean hasMaps;
  private final OutputShapeCache known;
  private final Set<String> wholeOutputs;

  /** Shared, because the thread that closes a session is seldom the one that opened it. */
  private final Arena arena = Arena.ofShared();

  private final Map<String, MemorySegment> inputNames = new HashMap<>();
  private final Map<String, MemorySegment> outputNames = new HashMap<>();
  private final MemorySegment inputNameArray;
  private final MemorySegment inputArray;
  private final MemorySegment outputNameArray;
  private final MemorySegment outputArray;

  /**
   * @param wholeOutputs values that each run writes as a whole, as the graph calls them
   */
  OnnxRun(SessionHandle handle, Signature signature, Set<String> wholeOutputs) {
    this.handle = handle;
    this.wholeOutputs = wholeOutputs;
    this.values = new OnnxValues(arena);
    this.maps = new ScoreMaps(arena, values);
    this.known = new OutputShapeCache(signature);
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

  /**
   * @param inPlace outputs that are written over inputs
   */
  List<NamedTensor> run(
      List<NamedTensor> inputs, List<TensorSpec> outputs, Map<String, String> inPlace) {
    if (inputs.size() > inputNames.size() || outputs.size() > outputNames.size()) {
      throw InferenceException.invalid(
          "the model has %d inputs and %d outputs; the request gives %d and wants %d"
              .formatted(inputNames.size(), outputNames.size(), inputs.size(), outputs.size()));
    }
    if (hasMaps) {
      return call(inputs, outputs, PinnedOutputs.NONE);
    }
    if (!inPlace.isEmpty()) {
      return runPinned(inputs, outputs, PinnedOutputs.over(inputs, outputs, inPlace));
    }
    List<@Nullable Shape> shapes = known.find(inputs, outputs);
    if (shapes == null) {
      List<NamedTensor> taken = call(inputs, outputs, PinnedOutputs.NONE);
      known.add(inputs, outputs, taken);
      return taken;
    }
    return shapes.isEmpty()
        ? call(inputs, outputs, PinnedOutputs.NONE)
        : runPinned(inputs, outputs, PinnedOutputs.allocate(outputs, shapes, wholeOutputs));
  }

  /**
   * Runs with pinned outputs, which are closed; a run whose memory turns out to be wrong is
   * repeated, once. What it has written over its inputs by then is behind what the repetition reads
   * of them.
   */
  private List<NamedTensor> runPinned(
      List<NamedTensor> inputs, List<TensorSpec> outputs, PinnedOutputs pinned) {
    try (pinned) {
      return call(inputs, outputs, pinned);
    } catch (RunFailure e) {
      if (e.kind() != RunFailure.Kind.OUTPUT_MEMORY) {
        throw e;
      }
    }
    known.distrust();
    return call(inputs, outputs, PinnedOutputs.NONE);
  }

  /**
   * Runs the model, once more if others had left memory unused in the arena that it shares with
   * them: it is given back after a run that finds none.
   *
   * @param pinned memory for outputs; the runtime finds the rest
   */
  private List<NamedTensor> call(
      List<NamedTensor> inputs, List<TensorSpec> outputs, PinnedOutputs pinned) {
    try {
      return callOnce(inputs, outputs, pinned);
    } catch (RunFailure e) {
      long limit = handle.memoryLimit();
      if (limit == 0 || !e.mayWorkLater(limit) || options.isInterrupted()) {
        throw e;
      }
    }
    return callOnce(inputs, outputs, pinned);
  }

  private List<NamedTensor> callOnce(
      List<NamedTensor> inputs, List<TensorSpec> outputs, PinnedOutputs pinned) {
    List<TensorSpec> computed = hasMaps ? ScoreMaps.distinct(outputs) : outputs;
    try {
      put(inputs, computed, pinned);
      OrtApi.run(
          handle.session(),
          options.address(),
          inputNameArray.address(),
          inputArray.address(),
          inputs.size(),
          outputNameArray.address(),
          computed.size(),
          outputArray.address());
      if (!pinned.areWritten()) {
        throw RunFailure.unwrittenOutput();
      }
      return takeOutputs(inputs, outputs, computed, pinned);
    } catch (RunFailure e) {
      if (e.kind() == RunFailure.Kind.MEMORY) {
        shrinkArena(inputs.size(), computed.size());
      }
      throw e;
    } finally {
      releaseAll(inputArray);
      releaseAll(outputArray);
    }
  }

  /**
   * Frees the arena's unused memory after a run that asked for too much of it. The arena doubles
   * what it asks the system for, and would go on from the size that it could not have: every later
   * run that needs it to grow would fail.
   */
  private void shrinkArena(int inputs, int outputs) {
    try (RunOptions shrinking = RunOptions.shrinking()) {
      OrtApi.run(
          handle.session(),
          shrinking.address(),
          inputNameArray.address(),
          inputArray.address(),
          inputs,
          outputNameArray.address(),
          outputs,
          outputArray.address());
    } catch (RunFailure _) {
      // It always ends as interrupted, or there is no arena.
    }
  }

  private void put(List<NamedTensor> inputs, List<TensorSpec> computed, PinnedOutputs pinned) {
    for (int i = 0; i < inputs.size(); i++) {
      putInput(i, inputs.get(i));
    }
    for (int i = 0; i < computed.size(); i++) {
      putOutput(i, computed.get(i));
      NamedTensor memory = pinned.get(i);
      if (memory != null) {
        outputArray.setAtIndex(JAVA_LONG, i, values.wrap(memory));
      }
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
    CarriedOutputs.require(output);
    outputNameArray.setAtIndex(JAVA_LONG, index, name.address());
  }

  private List<NamedTensor> takeOutputs(
      List<NamedTensor> inputs,
      List<TensorSpec> outputs,
      List<TensorSpec> computed,
      PinnedOutputs pinned) {
    var taken = new ArrayList<NamedTensor>(outputs.size());
    try {
      for (int i = 0; i < outputs.size(); i++) {
        NamedTensor written = pinned.take(i);
        if (written == null) {
          TensorSpec output = outputs.get(i);
          int place = hasMaps ? ScoreMaps.place(output, computed) : i;
          written = new NamedTensor(output.name(), takeOutput(place, output, inputs));
        }
        taken.add(written);
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

  /** Returns whether a model handed an input through as its output, memory and all. */
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

  /** Returns the options by which a run in flight can be ended. */
  RunOptions options() {
    return options;
  }

  @Override
  public void close() {
    options.close();
    arena.close();
  }
}
