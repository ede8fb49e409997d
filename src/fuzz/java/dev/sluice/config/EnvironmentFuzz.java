package dev.sluice.config;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Environment variables, {@code NAME=VALUE} in each line: the server's, and OpenTelemetry's. */
final class EnvironmentFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    Map<String, String> environment = new HashMap<>();
    for (String line : new InputBytes(input).text().replace('\0', '?').split("\n", -1)) {
      String[] parts = line.split("=", 2);
      if (parts.length == 2) {
        environment.put(parts[0], parts[1]);
      }
    }
    var _ =
        Rejection.file(
            () -> new SluiceConfigReader(_ -> {}).read(Optional.empty(), environment, List.of()));
  }

  @Override
  public long bytesPerByte() {
    return 20_000;
  }
}
