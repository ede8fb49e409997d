package dev.sluice.runtime.tensorflow;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A tensor of the graph: an operation's output, by its number.
 *
 * @param spec what the signature says of it
 * @param operation 0 if the graph has no such operation
 * @param index of the output
 */
record GraphOutput(TensorSpec spec, long operation, int index) {
  /** Finds a tensor that a signature calls {@code operation:index}, or just {@code operation}. */
  static GraphOutput find(long graph, TensorSpec spec) {
    String text = spec.nativeName();
    int colon = text.lastIndexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    int index = colon < 0 ? 0 : number(text.substring(colon + 1));
    long operation = operation(graph, name);
    boolean exists = operation != 0 && index >= 0 && index < TfApi.operationNumOutputs(operation);
    return new GraphOutput(spec, exists ? operation : 0, index);
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static long operation(long graph, String name) {
    try (Arena arena = Arena.ofConfined()) {
      return TfApi.graphOperationByName(graph, arena.allocateFrom(name).address());
    }
  }

  /** Returns whether it is the same tensor as another one, which the graph has. */
  boolean isSame(GraphOutput other) {
    return operation != 0 && operation == other.operation && index == other.index;
  }

  /** Writes the TF_Output at a place of an array of them. */
  void writeTo(MemorySegment array, int place) {
    if (operation == 0) {
      throw new InferenceException(
          ErrorCode.INVALID_ARGUMENT,
          "Tensor "
              + spec.nativeName()
              + ", specified in either feed_devices or fetch_devices was not found in the Graph");
    }
    long offset = (long) place * TfApi.OUTPUT_SIZE;
    array.set(JAVA_LONG, offset, operation);
    array.set(JAVA_INT, offset + Long.BYTES, index);
  }
}
