package dev.sluice.protocol.oip.http;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.inference.control.ModelLoad;
import dev.sluice.transport.Body;
import org.jspecify.annotations.Nullable;

/**
 * Bodies that list, load and unload models, by the digit in front: 0 index, 1 load, 2 unload. The
 * settings and files of a load together are no larger than its body.
 */
final class RepositoryBodyFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    int kind = bytes.below(3);
    Body body = Body.of(bytes.rest());
    switch (kind) {
      case 0 -> Rejection.request(() -> RepositoryBodies.onlyReady(body));
      case 1 -> requireSmall(Rejection.request(() -> RepositoryBodies.load("m", body)), body);
      default -> Rejection.request(() -> RepositoryBodies.dependents(body));
    }
  }

  private static void requireSmall(@Nullable ModelLoad load, Body body) {
    if (load != null) {
      long size = load.config().map(String::length).orElse(0);
      for (var file : load.files().entrySet()) {
        size += file.getKey().length() + file.getValue().length;
      }
      if (size > body.length()) {
        throw new AssertionError(size + " bytes of a body of " + body.length());
      }
    }
  }
}
