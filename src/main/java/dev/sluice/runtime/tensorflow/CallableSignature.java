package dev.sluice.runtime.tensorflow;

import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A signature whose tensors were found in the graph. Owns the native tensors of its defaults. */
final class CallableSignature implements AutoCloseable {
  private final Map<String, GraphOutput> inputs;
  private final Map<String, GraphOutput> outputs;
  private final Map<String, Long> defaults = new LinkedHashMap<>();

  /** Inputs by the names of outputs that are the same tensors. */
  private final Map<String, String> passedOn = new HashMap<>();

  /** A signature whose inputs must all be given. */
  CallableSignature(long graph, Signature signature) {
    this.inputs = ports(graph, signature.inputs());
    this.outputs = ports(graph, signature.outputs());
    signature
        .compositeOutputs()
        .values()
        .forEach(composite -> composite.components().forEach(this::passOn));
  }

  /**
   * Records an output component that is an input too, as where an operation leaves the rows of a
   * ragged tensor, or the places of a sparse one, as they are. TensorFlow fetches nothing that it
   * was fed.
   */
  private void passOn(String component) {
    GraphOutput output = Objects.requireNonNull(outputs.get(component));
    inputs.forEach((name, input) -> {
      if (output.isSame(input)) {
        passedOn.put(component, name);
      }
    });
  }

  CallableSignature(long graph, Signature signature, TfStatus status) {
    this(graph, signature);
    try {
      new TreeMap<>(signature.defaults()).forEach((name, proto) -> addDefault(name, proto, status));
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private static Map<String, GraphOutput> ports(long graph, List<TensorSpec> specs) {
    var ports = new HashMap<String, GraphOutput>();
    for (TensorSpec spec : specs) {
      ports.put(spec.name(), GraphOutput.find(graph, spec));
    }
    return ports;
  }

  private void addDefault(String name, ByteBuffer proto, TfStatus status) {
    if (!inputs.containsKey(name)) {
      return;
    }
    // Any tensor will do: the message says what it becomes.
    long tensor = TfApi.allocateTensor(TfTypes.number(DataType.INT8), 0, 0, 1);
    defaults.put(name, tensor);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(proto.remaining());
      bytes.copyFrom(MemorySegment.ofBuffer(proto));
      long buffer = TfApi.newBufferFromString(bytes.address(), bytes.byteSize());
      TfApi.tensorFromProto(buffer, tensor, status.handle());
      TfApi.deleteBuffer(buffer);
    }
    status.check();
  }

  Map<String, GraphOutput> inputs() {
    return inputs;
  }

  Map<String, GraphOutput> outputs() {
    return outputs;
  }

  /**
   * Returns the input that is the same tensor as an output; null if TensorFlow computes the output.
   */
  @Nullable String inputThatIs(String output) {
    return passedOn.get(output);
  }

  /** Values of the inputs that may be left out, in the order of their names. */
  Map<String, Long> defaults() {
    return defaults;
  }

  @Override
  public void close() {
    defaults.values().forEach(TfApi::deleteTensor);
    defaults.clear();
  }
}
