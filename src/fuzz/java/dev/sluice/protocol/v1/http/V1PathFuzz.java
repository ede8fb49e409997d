package dev.sluice.protocol.v1.http;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import java.util.Optional;

/** Paths below {@code /v1/models}, in any case, as in TensorFlow Serving. */
final class V1PathFuzz implements FuzzTarget {
  private static final String PREFIX = "/v1/models";

  @Override
  public void accept(byte[] input) {
    String path = new InputBytes(input).text();
    Optional<V1Request> read = Rejection.request(() -> V1Grammar.read(path));
    boolean ours = path.regionMatches(true, 0, PREFIX, 0, PREFIX.length());
    if (read != null && read.isPresent() && !ours) {
      throw new AssertionError(path + " is no path of V1");
    }
  }
}
