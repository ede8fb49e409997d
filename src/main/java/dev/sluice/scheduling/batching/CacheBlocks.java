package dev.sluice.scheduling.batching;

import dev.sluice.inference.LoopStep;
import dev.sluice.scheduling.queue.PendingRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether decode steps run in the block that the run before has left, with rows of streams
 * that have left it and padding that no row needs any more, or whether their caches are copied. A
 * block is kept until what was run in vain would have made the copy. Used by one worker.
 */
final class CacheBlocks {
  private final BatchRules rules;

  /** Elements of rows that were run in vain since caches were copied. */
  private long wasted;

  CacheBlocks(BatchRules rules) {
    this.rules = rules;
  }

  /**
   * Returns the block in which the members run; null if their caches are copied, or they have none.
   *
   * @param members sorted by where their caches lie; in the order of the block's rows afterwards
   */
  @Nullable CacheBlock find(List<PendingRequest> members) {
    LoopStep.Padding padding = members.getFirst().request().padding();
    if (padding == null || !padding.inPlace().isEmpty() || rules.ragged() != null) {
      return null;
    }
    CacheBlock block = CacheBlock.of(members, rules);
    if (block == null || !isWorthKeeping(block)) {
      wasted = 0;
      return null;
    }
    block.sort(members);
    return block;
  }

  private boolean isWorthKeeping(CacheBlock block) {
    wasted += block.elements() - block.needed();
    return wasted <= block.needed();
  }
}
