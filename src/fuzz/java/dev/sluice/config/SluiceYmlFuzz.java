package dev.sluice.config;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputFile;
import dev.sluice.fuzz.Rejection;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Settings of the server in {@code sluice.yml}. */
final class SluiceYmlFuzz implements FuzzTarget {
  private final InputFile file = new InputFile("sluice.yml");

  @Override
  public void accept(byte[] input) {
    Path path = file.with(input);
    var _ =
        Rejection.file(
            () -> new SluiceConfigReader(_ -> {}).read(Optional.of(path), Map.of(), List.of()));
  }

  @Override
  public long bytesPerByte() {
    return 20_000; // Each level and each value is a few objects of the parser.
  }
}
