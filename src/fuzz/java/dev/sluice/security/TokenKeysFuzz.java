package dev.sluice.security;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;

/** Files of keys for tokens: PEM or JWKS. */
final class TokenKeysFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    String text = new InputBytes(input).text();
    TokenKeys read = Rejection.file(() -> TokenKeys.parse("keys", text));
    if (read != null && read.isEmpty()) {
      throw new AssertionError("no keys");
    }
  }

  @Override
  public long bytesPerByte() {
    return 20_000; // A key of a few bytes is a modulus of thousands of bits.
  }
}
