package dev.sluice.loadtest.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PinningTest {
  private static final List<String> COMMAND = List.of("wrk", "--threads=2");

  @TempDir private Path folder;

  @BeforeEach
  void installTaskset() throws IOException {
    Path taskset = Files.createFile(folder.resolve(Pinning.TASKSET));
    assertThat(taskset.toFile().setExecutable(true)).isTrue();
  }

  private Pinning pinning(int serverCores, Integer... cores) {
    return Pinning.of(new Cores(List.of(cores)), folder.toString(), serverCores);
  }

  @Test
  void serverAndGeneratorHaveCoresOfTheirOwn() {
    Pinning pinning = pinning(1, 0, 1);
    assertThat(pinning.onServerCores(COMMAND))
        .containsExactly("taskset", "--cpu-list", "0", "wrk", "--threads=2");
    assertThat(pinning.onGeneratorCores(COMMAND))
        .containsExactly("taskset", "--cpu-list", "1", "wrk", "--threads=2");
    assertThat(pinning.text()).isEqualTo("pinned: server on core 0, generator on core 1");
  }

  @Test
  void serverHasTheLargerHalfOfWhatIsAllowed() {
    Pinning pinning = pinning(2, 3, 5, 7);
    assertThat(pinning.text()).isEqualTo("pinned: server on core 3,5, generator on core 7");
    assertThat(pinning.moving(42))
        .containsExactly("taskset", "--all-tasks", "--cpu-list", "--pid", "7", "42");
  }

  @Test
  void serverThatNeedsMoreThanHalfIsNotPinned() {
    Pinning pinning = pinning(2, 0, 1);
    assertThat(pinning.onServerCores(COMMAND)).isEqualTo(COMMAND);
    assertThat(pinning.onGeneratorCores(COMMAND)).isEqualTo(COMMAND);
    assertThat(pinning.moving(42)).contains("0,1");
    assertThat(pinning.text()).isEqualTo("not pinned: the server needs 2 cores of its own");
  }

  @Test
  void oneCoreIsShared() {
    assertThat(pinning(1, 4).onServerCores(COMMAND)).isEqualTo(COMMAND);
    assertThat(pinning(1, 4).text()).isEqualTo("not pinned: there is one core only");
  }

  @Test
  void withoutTasksetNothingIsPinned(@TempDir Path empty) {
    Pinning pinning = Pinning.of(new Cores(List.of(0, 1)), empty.toString(), 1);
    assertThat(pinning.onServerCores(COMMAND)).isEqualTo(COMMAND);
    assertThat(pinning.text()).startsWith("not pinned: there is no taskset");
  }
}
