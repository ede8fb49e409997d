package dev.sluice.runtime;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The dimensions of a tensor, where a native library reads them. One thread. */
public final class NativeShape {
  private final int maxRank;
  private final MemorySegment dims;

  /**
   * @param arena owns the memory
   * @param maxRank the most dimensions that the library takes
   */
  public NativeShape(Arena arena, int maxRank) {
    this.maxRank = maxRank;
    this.dims = arena.allocate(JAVA_LONG, maxRank);
  }

  /**
   * Writes the dimensions of an input, in place of the former ones; returns how many there are.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the library takes fewer
   */
  public int write(NamedTensor input) {
    Shape shape = input.tensor().shape();
    int rank = shape.rank();
    if (rank > maxRank) {
      throw InferenceException.invalid(
          "input '%s' has %d dimensions, more than the %d that are possible"
              .formatted(input.name(), rank, maxRank));
    }
    for (int i = 0; i < rank; i++) {
      dims.setAtIndex(JAVA_LONG, i, shape.dim(i));
    }
    return rank;
  }

  /** Returns the address of the dimensions that were written last, each of 64 bits. */
  public long address() {
    return dims.address();
  }
}
