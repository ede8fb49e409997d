package dev.sluice.config.security;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Texts of access control, by the digit in front: 0 a file of API keys, 1 a list of operations. */
final class SecurityTextFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    int kind = bytes.below(2);
    String text = bytes.text();
    Supplier<?> reader =
        kind == 0
            ? () -> ApiKeysConfig.parse(Path.of("keys"), text)
            : () -> ControlAccess.parse("--control", text);
    var _ = Rejection.file(reader);
  }
}
