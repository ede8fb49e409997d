package dev.sluice.scheduling.prefix;

import dev.sluice.tensor.NamedTensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The prefixes that one prompt may begin with, and that it leaves for others. Owns nothing; one
 * thread at a time.
 */
public final class PromptPrefix {
  private final PrefixCache cache;
  private final PrefixScope scope;
  private final long[] prompt;

  PromptPrefix(PrefixCache cache, PrefixScope scope, long[] prompt) {
    this.cache = cache;
    this.scope = scope;
    this.prompt = prompt;
  }

  /** Returns whether there may be one now. Fast enough for an event loop. */
  public boolean mayBeKept() {
    return cache.mayHave(scope, prompt);
  }

  /** Returns the longest one that is kept, the caller's to close; null if there is none. */
  public @Nullable FoundPrefix find() {
    return cache.find(scope, prompt);
  }

  /**
   * Keeps a copy of what the whole prompt has left, as far as there is room.
   *
   * @param caches by the inputs that they are fed back to; borrowed
   */
  public void keep(List<NamedTensor> caches) {
    cache.keep(scope, prompt, caches);
  }
}
