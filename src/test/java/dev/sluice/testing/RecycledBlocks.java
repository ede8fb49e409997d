package dev.sluice.testing;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The blocks that tensors are made of, as a neighbour's request leaves them behind. */
public final class RecycledBlocks {
  /** What the neighbour's tensors held, in every byte. */
  public static final byte NEIGHBOUR = 0x5E;

  private static final int SMALLEST = 64;
  private static final int LARGEST = 64 << 10;
  private static final int BLOCKS_OF_A_SIZE = 8;

  private RecycledBlocks() {}

  /** Fills blocks of every small size with {@link #NEIGHBOUR} and frees them. */
  public static void fill() {
    List<Tensor> tensors = new ArrayList<>();
    for (int size = SMALLEST; size <= LARGEST; size *= 2) {
      for (int i = 0; i < BLOCKS_OF_A_SIZE; i++) {
        Tensor tensor = Tensor.allocate(DataType.UINT8, Shape.of(size));
        tensor.data().fill(NEIGHBOUR);
        tensors.add(tensor);
      }
    }
    tensors.forEach(Tensor::close);
  }
}
