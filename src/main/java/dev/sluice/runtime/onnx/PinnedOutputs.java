package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * Why a pinned output never answers with another request's data
 *
 * Tensor memory is recycled, and the runtime writes a pinned output only if an operator of this run
 * computes it: an output that is an input comes back untouched, without an error.
 *
 * Load.   OutputShapeCache leaves out outputs that are inputs, and what is wanted twice.
 * Before. The memory is filled with zeros: what an operator leaves out holds no data of other
 *         requests. A large output is not filled if the operator that computes it is one of
 *         FullyWritingOperators, which writes all or, not running, nothing. Its first and its last bytes get
 *         a guard, a random number of this process.
 * After.  A guard that is still there shows that the output was not written. The run is then repeated
 *         with memory of the runtime's own, and nothing of this session is pinned again.
 */

/**
 * Memory for the outputs of one run, for those whose shapes are known; the runtime finds the rest.
 *
 * <p>Owner: owns what {@link #take} has not passed on. One thread.
 */
final class PinnedOutputs implements AutoCloseable {
  /** Nothing is pinned. */
  static final PinnedOutputs NONE = new PinnedOutputs(0);

  /** Less than this has no room for a guard that no value meets by chance. */
  private static final long SMALLEST_BYTES = Integer.BYTES;

  /**
   * More is left to the runtime: writing it takes longer than its lock. Its arena has memory that
   * was used before, where a new block would come from the kernel, page by page.
   */
  private static final long LARGEST_BYTES = 64L << 10;

  /** So much is filled in a few nanoseconds. */
  private static final long SMALL_BYTES = 1024;

  private static final long GUARD = new SecureRandom().nextLong();

  private final @Nullable NamedTensor[] tensors;

  private PinnedOutputs(int outputs) {
    this.tensors = new NamedTensor[outputs];
  }

  /**
   * Allocates memory.
   *
   * @param shapes of the outputs, each null if it is not to be pinned
   * @param wholeOutputs values that each run writes as a whole, as the graph calls them
   */
  static PinnedOutputs allocate(
      List<TensorSpec> outputs, List<@Nullable Shape> shapes, Set<String> wholeOutputs) {
    var pinned = new PinnedOutputs(shapes.size());
    try {
      for (int i = 0; i < shapes.size(); i++) {
        Shape shape = shapes.get(i);
        if (shape != null) {
          TensorSpec output = outputs.get(i);
          Tensor tensor = Tensor.allocate(output.type(), shape);
          if (tensor.byteSize() <= SMALL_BYTES || !wholeOutputs.contains(output.nativeName())) {
            tensor.data().fill((byte) 0);
          }
          guard(tensor.data());
          pinned.tensors[i] = new NamedTensor(output.name(), tensor);
        }
      }
      return pinned;
    } catch (RuntimeException | Error e) {
      pinned.close();
      throw e;
    }
  }

  /**
   * Gives outputs the memory of inputs of the same type, which stays theirs.
   *
   * @param inPlace names of outputs, with those of the inputs
   */
  static PinnedOutputs over(
      List<NamedTensor> inputs, List<TensorSpec> outputs, Map<String, String> inPlace) {
    var pinned = new PinnedOutputs(outputs.size());
    for (int i = 0; i < outputs.size(); i++) {
      TensorSpec output = outputs.get(i);
      String input = inPlace.get(output.name());
      for (int j = 0; input != null && j < inputs.size(); j++) {
        Tensor memory = inputs.get(j).tensor();
        if (inputs.get(j).name().equals(input) && memory.type() == output.type()) {
          pinned.tensors[i] = new NamedTensor(output.name(), memory.borrow());
        }
      }
    }
    return pinned;
  }

  /** Returns whether a tensor is of those whose writing can be checked, and not too large. */
  static boolean canPin(Tensor tensor) {
    return tensor.type().isFixedSize()
        && tensor.byteSize() >= SMALLEST_BYTES
        && tensor.byteSize() <= LARGEST_BYTES;
  }

  private static void guard(MemorySegment data) {
    long size = data.byteSize();
    if (size >= Long.BYTES) {
      data.set(JAVA_LONG_UNALIGNED, 0, GUARD);
      data.set(JAVA_LONG_UNALIGNED, size - Long.BYTES, GUARD);
    } else {
      data.set(JAVA_INT_UNALIGNED, 0, (int) GUARD);
    }
  }

  /** Returns whether the run wrote every output that is pinned, as far as its guards show. */
  boolean areWritten() {
    for (NamedTensor tensor : tensors) {
      if (tensor != null && !isWritten(tensor.tensor().data())) {
        return false;
      }
    }
    return true;
  }

  private static boolean isWritten(MemorySegment data) {
    long size = data.byteSize();
    if (size < Long.BYTES) {
      return data.get(JAVA_INT_UNALIGNED, 0) != (int) GUARD;
    }
    return data.get(JAVA_LONG_UNALIGNED, 0) != GUARD
        && data.get(JAVA_LONG_UNALIGNED, size - Long.BYTES) != GUARD;
  }

  /** Returns the output at a place, which stays here; null if it is not pinned. */
  @Nullable NamedTensor get(int place) {
    return place < tensors.length ? tensors[place] : null;
  }

  /** Returns the output at a place, passed on to the caller; null if it is not pinned. */
  @Nullable NamedTensor take(int place) {
    NamedTensor tensor = get(place);
    if (tensor != null) {
      tensors[place] = null;
    }
    return tensor;
  }

  /** Frees what was not taken. */
  @Override
  public void close() {
    for (int i = 0; i < tensors.length; i++) {
      NamedTensor tensor = take(i);
      if (tensor != null) {
        tensor.tensor().close();
      }
    }
  }
}
