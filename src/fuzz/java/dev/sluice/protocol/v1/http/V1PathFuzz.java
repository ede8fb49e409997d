package dev.sluice.protocol.v1.http;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import java.util.Optional;

/** Paths below {@code /v1/models}. */
final class V1PathFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    String path = new InputBytes(input).text();
    Optional<V1Request> read = Rejection.request(() -> V1Grammar.read(path));
    if (read != null && read.isPresent() && !path.startsWith("/v1/models")) {
      throw new AssertionError(path + " is no path of V1");
    }
  }
}
