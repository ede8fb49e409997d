package dev.sluice.transport.grpc;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import java.time.Duration;

/** The header {@code grpc-timeout}. */
final class GrpcTimeoutFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    String header = new InputBytes(input).text();
    Duration read = Rejection.request(() -> GrpcTimeout.read(header));
    if (read != null && read.isNegative()) {
      throw new AssertionError(header + " is a time of " + read);
    }
  }
}
