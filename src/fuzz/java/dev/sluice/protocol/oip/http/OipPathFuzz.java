package dev.sluice.protocol.oip.http;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;

/** Paths below {@code /v2}. */
final class OipPathFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    String path = new InputBytes(input).text();
    var _ = Rejection.request(() -> OipPath.of(path));
  }
}
