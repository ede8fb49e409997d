package dev.sluice.runtime.isolation;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of one run where its process can read them: in the region in which they lie already,
 * or copied into one.
 *
 * <p>Owner of the copies, which {@link #close} gives back. One thread.
 */
final class SharedInputs implements AutoCloseable {
  private final RegionPool pool;
  private final List<NamedTensor> inputs;
  private final int[] regions;
  private final long[] offsets;

  /** The copies, counted like any tensor. */
  private @Nullable Tensor copies;

  SharedInputs(RegionPool pool, List<NamedTensor> inputs) {
    this.pool = pool;
    this.inputs = inputs;
    this.regions = new int[inputs.size()];
    this.offsets = new long[inputs.size()];
    long bytes = place();
    if (bytes > 0) {
      copy(bytes);
    }
  }

  /** Returns how many bytes are to be copied, and sets where to; 0 as a region is none. */
  private long place() {
    long end = 0;
    for (int i = 0; i < regions.length; i++) {
      MemorySegment data = inputs.get(i).tensor().data();
      SharedRegion holder = pool.holding(data);
      if (holder != null) {
        regions[i] = holder.number();
        offsets[i] = holder.offsetOf(data);
      } else {
        offsets[i] = end;
        end = SharedRegion.align(end + Math.max(1, data.byteSize()));
      }
    }
    return end;
  }

  private void copy(long bytes) {
    SharedRegion region = pool.acquire(bytes);
    copies =
        Tensor.adopt(
            DataType.UINT8, Shape.of(bytes), region.memory().asSlice(0, bytes), region::release);
    for (int i = 0; i < regions.length; i++) {
      if (regions[i] == 0) {
        MemorySegment data = inputs.get(i).tensor().data();
        MemorySegment.copy(data, 0, region.memory(), offsets[i], data.byteSize());
        regions[i] = region.number();
      }
    }
  }

  /** Writes where they are. */
  void put(ProcessMessageWriter order) {
    order.putInt(regions.length);
    for (int i = 0; i < regions.length; i++) {
      NamedTensor input = inputs.get(i);
      order.putText(input.name());
      TensorCodec.write(input.tensor(), order);
      order.putInt(regions[i]).putLong(offsets[i]);
    }
  }

  @Override
  public void close() {
    if (copies != null) {
      copies.close();
    }
  }
}
