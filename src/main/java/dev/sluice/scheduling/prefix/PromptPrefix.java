package dev.sluice.scheduling.prefix;

import dev.sluice.inference.LoopStep;
import dev.sluice.tensor.NamedTensor;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The prefixes that one prompt may begin with, and that it leaves for others. One thread at a time:
 * the holder of the queue until its first step is taken, then who owns the stream.
 *
 * <p>Owner: owns no memory. Until it is closed, others may wait for it.
 */
public final class PromptPrefix implements LoopStep.Turn, AutoCloseable {
  private final PrefixCache cache;
  private final PrefixScope scope;
  private final long[] prompt;
  private final int chunk;

  /** What others see of it; null before it begins, and once it has ended. */
  private @Nullable RunningPrompt running;

  /** What it waits for, or has waited for. */
  private @Nullable Awaited awaited;

  /** So many tokens of another prompt. */
  record Awaited(RunningPrompt prompt, int tokens) {}

  /**
   * @param chunk tokens of it that run at once
   */
  PromptPrefix(PrefixCache cache, PrefixScope scope, long[] prompt, int chunk) {
    this.cache = cache;
    this.scope = scope;
    this.prompt = prompt;
    this.chunk = chunk;
  }

  /** Returns whether there may be one now. Fast enough for an event loop. */
  public boolean mayBeKept() {
    return cache.mayHave(scope, prompt);
  }

  /** Returns the longest one that is kept, the caller's to close; null if there is none. */
  public @Nullable FoundPrefix find() {
    return cache.find(scope, prompt);
  }

  /** It waits once: where nothing could be kept of what it waited for, it goes on with others. */
  @Override
  public boolean mustWait(int level) {
    Awaited now = cache.await(scope, prompt, level, awaited);
    awaited = now == null ? awaited : now;
    return now != null;
  }

  @Override
  public boolean begin(int level) {
    running = cache.begin(scope, prompt, level, chunk);
    return mayBeKept();
  }

  /** Returns whether others wait for so many tokens, which it has computed now. */
  public boolean isAwaited(int tokens) {
    return running != null && cache.reaches(running, tokens);
  }

  /**
   * Keeps a copy of what its first tokens have left, as far as there is room.
   *
   * @param caches by the inputs that they are fed back to; borrowed
   */
  public void keep(int tokens, List<NamedTensor> caches) {
    long[] first = tokens == prompt.length ? prompt : Arrays.copyOf(prompt, tokens);
    leaves(tokens, cache.keep(scope, first, caches));
  }

  /** Keeps nothing of its first tokens, although others may wait for them. */
  public void keepNothing(int tokens) {
    leaves(tokens, false);
  }

  private void leaves(int tokens, boolean kept) {
    if (running != null) {
      cache.leaves(running, tokens, kept);
    }
  }

  /** Ends it: it leaves nothing more. */
  @Override
  public void close() {
    RunningPrompt ended = running;
    running = null;
    if (ended != null) {
      cache.end(ended);
    }
  }
}
