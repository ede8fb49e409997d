package dev.sluice.config.compat.grps;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.InputFile;
import dev.sluice.fuzz.Rejection;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * Files of a grps deployment, by the digit in front: 0 {@code server.yml}, 1 {@code inference.yml}.
 */
final class GrpsYmlFuzz implements FuzzTarget {
  private final InputFile file = new InputFile("grps.yml");

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    int kind = bytes.below(2);
    Path path = file.with(bytes.rest());
    Supplier<?> reader =
        kind == 0
            ? () -> GrpsServerFile.read(path)
            : () -> GrpsInferenceFile.read(path, Path.of("deployment"));
    var _ = Rejection.file(reader);
  }

  @Override
  public long bytesPerByte() {
    return 20_000;
  }
}
