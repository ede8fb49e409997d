package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AvailableMemoryTest {
  private static final ModelId MODEL = new ModelId("large", 3);

  @TempDir private Path folder;

  private Path machine() throws IOException {
    return Files.writeString(
        folder.resolve("meminfo"), "MemTotal:  8 kB\nMemFree:  1 kB\nMemAvailable:    5000 kB\n");
  }

  private void group(String limit) throws IOException {
    Files.writeString(folder.resolve("memory.max"), limit + "\n");
    Files.writeString(folder.resolve("memory.current"), "900000\n");
    Files.writeString(
        folder.resolve("memory.stat"), "active_file 7\ninactive_file 150000\nslab 9\n");
  }

  @Test
  void groupLetsItsProcessesTakeWhatIsFreeOrHoldsUnusedPagesOfFiles() throws IOException {
    group("1000000");
    assertThat(AvailableMemory.bytes(machine(), folder)).isEqualTo(250_000);
  }

  @Test
  void groupThatUsesMoreThanItsLimitHasNoneLeft() throws IOException {
    group("100000");
    assertThat(AvailableMemory.bytes(machine(), folder)).isZero();
  }

  @Test
  void groupWithoutALimitHasWhatTheMachineHas() throws IOException {
    group("max");
    assertThat(AvailableMemory.bytes(machine(), folder)).isEqualTo(5_000 * 1024);
  }

  @Test
  void systemThatSaysNothingIsNoObstacle() {
    Path nothing = folder.resolve("nothing");
    assertThat(AvailableMemory.bytes(nothing, nothing)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void sessionIsRefusedThatTakesMoreThanHalfOfWhatIsAvailable() {
    assertThatNoException().isThrownBy(() -> AvailableMemory.require(200, 100, MODEL));
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> AvailableMemory.require(199, 100, MODEL))
        .withMessageContaining("'large/3'")
        .withMessageContaining("wants 200 bytes of memory, 199 are available")
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
  }
}
