package dev.sluice.security;

import java.util.function.Supplier;

/** The source of token keys. Any thread. */
interface TokenKeySource {
  /** Returns the keys that are valid now; another object after each change. */
  TokenKeys keys();

  /**
   * Looks for a key that is not among them, unless that was done recently. Does not block.
   *
   * @return whether it may be among them soon
   */
  boolean missing();

  /** Keys of a file, which is looked at anyway. */
  static TokenKeySource of(Supplier<TokenKeys> file) {
    return new TokenKeySource() {
      @Override
      public TokenKeys keys() {
        return file.get();
      }

      @Override
      public boolean missing() {
        return false;
      }
    };
  }
}
