package dev.sluice.scheduling.prefix;

import java.util.concurrent.atomic.LongAdder;

/** Counts the tokens of one model's streams: of their prompts, and those chosen. Any thread. */
public final class StreamTokens {
  private final LongAdder computed = new LongAdder();
  private final LongAdder reused = new LongAdder();
  private final LongAdder generated = new LongAdder();

  /** Counts tokens that a run has computed. */
  public void addComputed(long tokens) {
    computed.add(tokens);
  }

  /** Counts tokens whose caches were those of an earlier prompt. */
  public void addReused(long tokens) {
    reused.add(tokens);
  }

  /** Counts tokens that were chosen. */
  public void addGenerated(long tokens) {
    generated.add(tokens);
  }

  /** Returns how many were computed. */
  public long computed() {
    return computed.sum();
  }

  /** Returns how many were not, since their caches were kept. */
  public long reused() {
    return reused.sum();
  }

  /** Returns how many were chosen, those that end a stream among them. */
  public long generated() {
    return generated.sum();
  }
}
