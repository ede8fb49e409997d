package dev.sluice.runtime.tensorflow;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.CarriedOutputs;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs of one session, one at a time. The arrays that the C call wants are made once and filled
 * again for each run.
 *
 * <p>A run cannot be interrupted; argument arrays are allocated once for a session.
 */
final class TensorflowRun implements AutoCloseable {
  private final long session;
  private final TfStatus status;
  private final RunTotals totals;
  private final TensorConversion conversion;

  /** Shared, because the thread that closes a session is seldom the one that opened it. */
  private final Arena arena = Arena.ofShared();

  private final MemorySegment inputPorts;
  private final MemorySegment inputValues;
  private final MemorySegment outputPorts;
  private final MemorySegment outputValues;

  TensorflowRun(long session, Collection<Signature> signatures, RunTotals totals, TfStatus status) {
    int inputs = signatures.stream().mapToInt(s -> s.inputs().size()).max().orElse(0);
    // Signatures may be run together: then all outputs of all of them are wanted at the most.
    int outputs = signatures.stream().mapToInt(s -> s.outputs().size()).sum();
    this.session = session;
    this.status = status;
    this.totals = totals;
    this.conversion = new TensorConversion(arena);
    this.inputPorts = arena.allocate((long) TfApi.OUTPUT_SIZE * inputs, Long.BYTES);
    this.inputValues = arena.allocate(JAVA_LONG, inputs);
    this.outputPorts = arena.allocate((long) TfApi.OUTPUT_SIZE * outputs, Long.BYTES);
    this.outputValues = arena.allocate(JAVA_LONG, outputs);
  }

  List<NamedTensor> run(
      CallableSignature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    requireCapacity(signature, inputs.size(), outputs.size());
    int owned = 0;
    try {
      for (NamedTensor input : inputs) {
        putInput(owned, signature, input);
        owned++;
      }
      int fed = owned + putDefaults(owned, signature, inputs);
      int fetched = 0;
      for (TensorSpec output : outputs) {
        if (passedOn(signature, inputs, output) == null) {
          putOutput(fetched++, signature, output);
        }
      }
      if (fetched > 0) {
        call(fed, fetched);
      }
      return takeOutputs(signature, inputs, outputs);
    } finally {
      deleteAll(inputValues, owned);
      deleteAll(outputValues, outputs.size());
    }
  }

  /** Requires that the arrays hold as many as the signature has. */
  private static void requireCapacity(CallableSignature signature, int inputs, int outputs) {
    if (inputs > signature.inputs().size() || outputs > signature.outputs().size()) {
      throw InferenceException.invalid(
          "the signature has %d inputs and %d outputs; the request gives %d and wants %d"
              .formatted(signature.inputs().size(), signature.outputs().size(), inputs, outputs));
    }
  }

  private void call(int inputs, int outputs) {
    long begun = System.nanoTime();
    TfApi.sessionRun(
        session,
        inputPorts.address(),
        inputValues.address(),
        inputs,
        outputPorts.address(),
        outputValues.address(),
        outputs,
        status.handle());
    totals.add(System.nanoTime() - begun);
    status.check();
  }

  private void putInput(int index, CallableSignature signature, NamedTensor input) {
    GraphOutput port = signature.inputs().get(input.name());
    if (port == null) {
      throw InferenceException.invalid("the signature has no input '" + input.name() + "'");
    }
    port.writeTo(inputPorts, index);
    inputValues.setAtIndex(JAVA_LONG, index, conversion.toNative(input));
  }

  /** Feeds the defaults of what the request left out; returns how many these are. */
  private int putDefaults(int from, CallableSignature signature, List<NamedTensor> inputs) {
    if (signature.defaults().isEmpty()) {
      return 0;
    }
    int index = from;
    for (Map.Entry<String, Long> entry : signature.defaults().entrySet()) {
      GraphOutput port = signature.inputs().get(entry.getKey());
      if (port != null && find(inputs, entry.getKey()) == null) {
        port.writeTo(inputPorts, index);
        inputValues.setAtIndex(JAVA_LONG, index, entry.getValue());
        index++;
      }
    }
    return index - from;
  }

  private static @Nullable NamedTensor find(List<NamedTensor> inputs, String name) {
    for (NamedTensor input : inputs) {
      if (input.name().equals(name)) {
        return input;
      }
    }
    return null;
  }

  private void putOutput(int index, CallableSignature signature, TensorSpec output) {
    GraphOutput port = signature.outputs().get(output.name());
    if (port == null) {
      throw InferenceException.invalid("the signature has no output '" + output.name() + "'");
    }
    CarriedOutputs.require(output);
    port.writeTo(outputPorts, index);
  }

  /** Returns the input that an output is; null if the output is computed. */
  private static @Nullable NamedTensor passedOn(
      CallableSignature signature, List<NamedTensor> inputs, TensorSpec output) {
    String name = signature.inputThatIs(output.name());
    return name == null ? null : find(inputs, name);
  }

  private List<NamedTensor> takeOutputs(
      CallableSignature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    var taken = new ArrayList<NamedTensor>(outputs.size());
    try {
      int fetched = 0;
      for (TensorSpec output : outputs) {
        NamedTensor input = passedOn(signature, inputs, output);
        Tensor value = input == null ? takeOutput(fetched++, output) : input.tensor().copy();
        taken.add(new NamedTensor(output.name(), value));
      }
      return taken;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(taken);
      throw e;
    }
  }

  private Tensor takeOutput(int index, TensorSpec spec) {
    long value = outputValues.getAtIndex(JAVA_LONG, index);
    if (TensorConversion.mustBeCopied(value, spec)) {
      return TensorConversion.copy(value);
    }
    Tensor adopted = TensorConversion.adopt(value);
    outputValues.setAtIndex(JAVA_LONG, index, 0);
    return adopted;
  }

  private static void deleteAll(MemorySegment values, int count) {
    for (int i = 0; i < count; i++) {
      long value = values.getAtIndex(JAVA_LONG, i);
      if (value != 0) {
        TfApi.deleteTensor(value);
        values.setAtIndex(JAVA_LONG, i, 0);
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
