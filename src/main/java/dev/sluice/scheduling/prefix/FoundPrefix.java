package dev.sluice.scheduling.prefix;

import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.SequencePadding;
import dev.sluice.tensor.Tensor;
import java.util.List;

/**
 * The prefix that a prompt has in common with a kept one. Owns shares of what is kept, but for
 * those that are taken, until it is closed. One thread.
 */
public final class FoundPrefix implements AutoCloseable {
  private final int length;
  private final int keptLength;
  private final List<NamedTensor> shares;

  /**
   * @param length tokens in common
   * @param keptLength tokens of the kept one
   * @param shares of its caches; taken over, and changed
   */
  FoundPrefix(int length, int keptLength, List<NamedTensor> shares) {
    this.length = length;
    this.keptLength = keptLength;
    this.shares = shares;
  }

  /** Returns how many tokens it has. */
  public int length() {
    return length;
  }

  /**
   * Takes the cache of an input behind the prefix, the caller's to close and not to be written to.
   * Without a copy if all of what is kept is in common.
   *
   * @param axis the dimension of the tokens
   */
  public Tensor take(String input, int axis) {
    Tensor share = share(input);
    if (length == keptLength) {
      return share;
    }
    try (share) {
      return SequencePadding.cut(share, axis, PaddingSide.RIGHT, keptLength - (long) length);
    }
  }

  private Tensor share(String input) {
    for (int i = 0; i < shares.size(); i++) {
      if (shares.get(i).name().equals(input)) {
        return shares.remove(i).tensor();
      }
    }
    throw new IllegalStateException("no cache is kept for input " + input);
  }

  @Override
  public void close() {
    NamedTensor.closeAll(shares);
  }
}
