package dev.sluice.boot.compat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Command lines, an argument in each line: behind a 0 of tensorflow_model_server, behind a 1 of
 * tritonserver.
 */
final class CompatFlagsFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    int command = bytes.below(2);
    List<String> arguments = List.of(bytes.text().replace('\0', '?').split("\n", -1));
    Supplier<SluiceConfig> read =
        command == 0
            ? () ->
                new ServingSettings(
                        CompatFlags.parse(ServingFlag.class, arguments), Map.of(), _ -> {})
                    .read()
            : () ->
                new TritonSettings(
                        CompatFlags.parse(TritonFlag.class, arguments), Map.of(), _ -> {})
                    .read();
    var _ = Rejection.file(read);
  }

  @Override
  public long bytesPerByte() {
    return 2_000;
  }
}
