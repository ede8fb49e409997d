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
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AvailableMemoryTest {
  private static final ModelId MODEL = new ModelId("large", 3);

  @TempDir private Path folder;

  private Path machine() throws IOException {
    return Files.writeString(
        folder.resolve("meminfo"),
        "MemTotal:  8000 kB\nMemFree:  1 kB\nMemAvailable:    5000 kB\n");
  }

  private Path group(String pages) throws IOException {
    return Files.writeString(folder.resolve("memory.stat"), pages);
  }

  @Test
  void groupLetsItsProcessesTakeWhatIsFreeOrHoldsUnusedPagesOfFiles() throws IOException {
    Path stat = group("active_file 7\ninactive_file 150000\nslab 9\n");
    assertThat(AvailableMemory.bytes(machine(), 1_000_000, 100_000, List.of(stat)))
        .isEqualTo(250_000);
  }

  @Test
  void groupOfVersionOneCountsThePagesOfThoseInItToo() throws IOException {
    Path stat = group("inactive_file 1000\ntotal_active_file 7\ntotal_inactive_file 150000\n");
    List<Path> files = List.of(folder.resolve("nothing"), stat);
    assertThat(AvailableMemory.bytes(machine(), 1_000_000, 100_000, files)).isEqualTo(250_000);
  }

  @Test
  void groupThatHasMoreThanTheMachineHasWhatTheMachineHas() throws IOException {
    assertThat(AvailableMemory.bytes(machine(), 7_000_000, 6_000_000, List.of()))
        .isEqualTo(5_000 * 1024);
  }

  @Test
  void groupWithoutALimitHasWhatTheMachineHas() throws IOException {
    assertThat(AvailableMemory.bytes(machine(), 8_000 * 1024, 1_024, List.of()))
        .isEqualTo(5_000 * 1024);
  }

  @Test
  void systemThatSaysNothingIsNoObstacle() {
    Path nothing = folder.resolve("nothing");
    assertThat(AvailableMemory.bytes(nothing, 1_000, 10, List.of(nothing)))
        .isEqualTo(Long.MAX_VALUE);
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
