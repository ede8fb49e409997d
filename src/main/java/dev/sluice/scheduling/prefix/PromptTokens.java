package dev.sluice.scheduling.prefix;

import java.util.concurrent.atomic.LongAdder;

/** Counts the tokens of the prompts of one model's streams. Any thread. */
public final class PromptTokens {
  private final LongAdder computed = new LongAdder();
  private final LongAdder reused = new LongAdder();

  /** Counts tokens that a run has computed. */
  public void addComputed(long tokens) {
    computed.add(tokens);
  }

  /** Counts tokens whose caches were those of an earlier prompt. */
  public void addReused(long tokens) {
    reused.add(tokens);
  }

  /** Returns how many were computed. */
  public long computed() {
    return computed.sum();
  }

  /** Returns how many were not, since their caches were kept. */
  public long reused() {
    return reused.sum();
  }
}
