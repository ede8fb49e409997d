package dev.sluice.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockCacheTest {
  private static final int THREADS = 4;
  private static final int TURNS = 20_000;

  private final BlockCache cache = new BlockCache();

  private static MemorySegment block(Arena arena, long size) {
    return arena.allocate(size, TensorMemory.ALIGNMENT);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 64",
    "1, 64",
    "64, 64",
    "65, 128",
    "512, 512",
    "602112, 1048576",
    "4194304, 4194304",
    "4194305, 4194368",
    "67108864, 67108864"
  })
  void aBlockHasThePowerOfTwoThatHoldsItAndALargeOneNoMoreThanItNeeds(long bytes, long size) {
    assertThat(BlockCache.blockSize(bytes)).isEqualTo(size);
  }

  @Test
  void aFreedBlockIsUsedAgainForItsOwnSizeOnly() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment freed = block(arena, 512);
      assertThat(cache.put(freed)).isTrue();
      assertThat(cache.take(256)).isNull();
      assertThat(cache.take(1024)).isNull();
      assertThat(cache.take(512)).isSameAs(freed);
      assertThat(cache.take(512)).isNull();
    }
  }

  @Test
  void aShelfTakesSoManyAndNoMore() {
    try (Arena arena = Arena.ofConfined()) {
      int kept = 0;
      for (int i = 0; i < 300; i++) {
        kept += cache.put(block(arena, 64)) ? 1 : 0;
      }
      assertThat(kept).isEqualTo(256);
      for (int i = 0; i < 8; i++) {
        assertThat(cache.put(block(arena, 4 << 20))).isTrue();
      }
      assertThat(cache.put(block(arena, 4 << 20))).isFalse();
    }
  }

  @Test
  void largeBlocksOfAllSizesTogetherAreNoMoreThanTheLimit() {
    try (Arena arena = Arena.ofConfined()) {
      cache.limit(3 << 20);
      assertThat(cache.put(block(arena, 2 << 20))).isTrue();
      assertThat(cache.put(block(arena, 2 << 20))).isFalse();
      MemorySegment second = block(arena, 1 << 20);
      assertThat(cache.put(second)).isTrue();
      assertThat(cache.put(block(arena, 32 << 10))).isFalse();
      assertThat(cache.put(block(arena, 16 << 10))).isTrue();
      assertThat(cache.take(1 << 20)).isSameAs(second);
      assertThat(cache.put(block(arena, 32 << 10))).isTrue();
      cache.limit(1 << 20);
      assertThat(cache.put(block(arena, 32 << 10))).isFalse();
    }
  }

  @Test
  void aVeryLargeBlockIsNotKept() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment large = block(arena, (4 << 20) + 64);
      assertThat(cache.put(large)).isFalse();
      assertThat(cache.take(large.byteSize())).isNull();
    }
  }

  @Test
  void noBlockIsGivenToTwoThreadsAtOnce() throws Exception {
    try (Arena arena = Arena.ofShared();
        var threads = Executors.newFixedThreadPool(THREADS)) {
      for (int i = 0; i < THREADS; i++) {
        cache.put(block(arena, 64));
      }
      List<Future<Integer>> collisions = new ArrayList<>();
      for (int i = 1; i <= THREADS; i++) {
        collisions.add(threads.submit(user(i)));
      }
      for (Future<Integer> found : collisions) {
        assertThat(found.get()).isZero();
      }
    }
  }

  /** Marks every block it gets, and counts those whose mark another one changed meanwhile. */
  private Callable<Integer> user(long mark) {
    return () -> {
      int changed = 0;
      for (int turn = 0; turn < TURNS; turn++) {
        @Nullable MemorySegment block = cache.take(64);
        if (block != null) {
          block.set(ValueLayout.JAVA_LONG, 0, mark);
          Thread.onSpinWait();
          changed += block.get(ValueLayout.JAVA_LONG, 0) == mark ? 0 : 1;
          cache.put(block);
        }
      }
      return changed;
    };
  }
}
