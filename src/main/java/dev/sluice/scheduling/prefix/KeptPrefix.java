package dev.sluice.scheduling.prefix;

import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.SharedTensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tokens of a prompt and a copy of the KV cache behind them, which is freed when it is closed
 * and no run has a share of it. Two are never equal.
 */
final class KeptPrefix implements AutoCloseable {
  private final PrefixScope scope;
  private final long[] tokens;
  private final Map<String, SharedTensor> caches = new LinkedHashMap<>();

  private KeptPrefix(PrefixScope scope, long[] tokens) {
    this.scope = scope;
    this.tokens = tokens;
  }

  /**
   * Copies what a prompt has left.
   *
   * @param tokens not changed any more
   * @param caches by the inputs that they are fed back to; borrowed
   */
  static KeptPrefix copyOf(PrefixScope scope, long[] tokens, List<NamedTensor> caches) {
    var kept = new KeptPrefix(scope, tokens);
    try {
      for (NamedTensor cache : caches) {
        kept.caches.put(cache.name(), new SharedTensor(cache.tensor().copy()));
      }
      return kept;
    } catch (RuntimeException | Error e) {
      kept.close();
      throw e;
    }
  }

  /** Returns the number of bytes that tokens and their caches take. */
  static long bytes(long[] tokens, List<NamedTensor> caches) {
    long bytes = (long) Long.BYTES * tokens.length;
    for (NamedTensor cache : caches) {
      bytes += cache.tensor().byteSize();
    }
    return bytes;
  }

  int length() {
    return tokens.length;
  }

  /** Returns whether a prompt has its first tokens in common with it, at least so many. */
  boolean begins(PrefixScope other, long[] prompt, int least) {
    return scope.equals(other)
        && tokens.length >= least
        && prompt.length >= least
        && Arrays.equals(tokens, 0, least, prompt, 0, least);
  }

  /** Returns how many tokens a prompt has in common with it. */
  int common(PrefixScope other, long[] prompt) {
    if (!scope.equals(other)) {
      return 0;
    }
    int mismatch = Arrays.mismatch(tokens, prompt);
    return mismatch < 0 ? tokens.length : mismatch;
  }

  /** Lends the first tokens of it. While it is open. */
  FoundPrefix lend(int length) {
    var shares = new ArrayList<NamedTensor>(caches.size());
    caches.forEach((input, cache) -> shares.add(new NamedTensor(input, cache.all())));
    return new FoundPrefix(length, tokens.length, shares);
  }

  @Override
  public void close() {
    caches.values().forEach(SharedTensor::close);
  }
}
