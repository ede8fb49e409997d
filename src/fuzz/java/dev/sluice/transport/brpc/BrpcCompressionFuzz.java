package dev.sluice.transport.brpc;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.transport.Body;

/** Compressed messages of brpc: a digit for the compression, the bytes. */
final class BrpcCompressionFuzz implements FuzzTarget {
  private static final int MOST = 1 << 20;

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    int number = bytes.below(5);
    byte[] message = bytes.rest();
    Body plain = Rejection.request(() -> Compression.of(number).undo(Body.of(message), MOST));
    if (plain != null && plain.length() > Math.max(MOST, message.length)) {
      throw new AssertionError(plain.length() + " bytes, beyond the limit");
    }
  }
}
