package dev.sluice.text.constraint;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sets of tokens, kept for some states, in native memory, where they count as tensors do. Any
 * thread.
 *
 * <p>Owner: its creator, which closes it behind the last use.
 */
final class TokenMasks implements AutoCloseable {
  private static final long LARGEST = 2L << 20;
  private static final int FEWEST = 4;

  private final int most;
  private final long maskBytes;
  private final Tensor masks;
  private final MemorySegment bytes;
  private final AtomicInteger taken = new AtomicInteger();

  /** By state, which mask it has; no state more than {@link #most}. */
  private final Map<Integer, Integer> places = new ConcurrentHashMap<>();

  /**
   * @param states number of states there are
   * @param tokens number of tokens there are
   */
  TokenMasks(int states, int tokens) {
    this.maskBytes = Math.ceilDivExact(tokens, Byte.SIZE);
    this.most = (int) Math.min(states, Math.max(FEWEST, LARGEST / maskBytes));
    this.masks = Tensor.allocate(DataType.UINT8, Shape.of(most, maskBytes));
    this.bytes = masks.data();
  }

  /** Returns the set of a state, a copy; null if it is not kept. */
  @Nullable BitSet get(int state) {
    Integer place = places.get(state);
    return place == null ? null : BitSet.valueOf(mask(place).asByteBuffer());
  }

  /** Keeps the set of a state if there is room. */
  void put(int state, BitSet tokens) {
    if (taken.get() >= most) {
      return;
    }
    int place = taken.getAndIncrement();
    if (place < most) {
      MemorySegment mask = mask(place);
      byte[] set = tokens.toByteArray();
      mask.fill((byte) 0);
      mask.asSlice(0, set.length).copyFrom(MemorySegment.ofArray(set));
      places.put(state, place);
    }
  }

  private MemorySegment mask(int place) {
    return bytes.asSlice(place * maskBytes, maskBytes);
  }

  /** Returns the bytes that are kept for sets. */
  long size() {
    return bytes.byteSize();
  }

  /** Frees the sets. */
  @Override
  public void close() {
    masks.close();
  }
}
