package dev.sluice.protocol.oip;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedMemoryRegionsTest {
  @TempDir Path folder;

  @Test
  void aKeyThatNoFileOfThisSystemCanHaveNamesNoFile() {
    var regions = SharedMemoryRegions.in(folder, 1, Duration.ofHours(1), System::nanoTime);
    assertThatThrownBy(() -> regions.register(Caller.SERVER, "input", "\uD800", 0, 1))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("there is no such file");
  }
}
