package dev.sluice.boot.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RollingFileTest {
  @TempDir private Path folder;
  private final AtomicLong now = new AtomicLong();
  private Path path;
  private RollingFile file;

  @BeforeEach
  void open() {
    path = folder.resolve("access.log");
    file = new RollingFile(path, 8, 3, now::get);
  }

  @AfterEach
  void close() throws IOException {
    file.close();
  }

  private void write(String... lines) throws IOException {
    for (String line : lines) {
      file.write((line + "\n").getBytes(UTF_8));
    }
  }

  private List<String> read(String name) throws IOException {
    return Files.readAllLines(folder.resolve(name));
  }

  @Test
  void aFullFileIsNumberedAndTheOldestOneDeleted() throws IOException {
    write("one", "two", "three", "four", "five", "six", "seven", "8");
    assertThat(read("access.log")).containsExactly("seven", "8");
    assertThat(read("access.log.1")).containsExactly("six");
    assertThat(read("access.log.2")).containsExactly("five");
    assertThat(folder.resolve("access.log.3")).doesNotExist();
  }

  @Test
  void aLineLongerThanAFileIsWrittenAlone() throws IOException {
    write("one", "longer than a file may be", "two");
    assertThat(read("access.log.1")).containsExactly("longer than a file may be");
    assertThat(read("access.log")).containsExactly("two");
  }

  @Test
  void oneFileBeginsAnew() throws IOException {
    file = new RollingFile(path, 8, 1, now::get);
    write("one", "two", "three");
    assertThat(read("access.log")).containsExactly("three");
    assertThat(folder.resolve("access.log.1")).doesNotExist();
  }

  @Test
  void aFileOfAnEarlierServerIsAppendedTo() throws IOException {
    Files.writeString(path, "0\n");
    write("one");
    assertThat(read("access.log")).containsExactly("0", "one");
  }

  @Test
  void aFileThatIsMovedAwayIsMadeAnewWithinASecond() throws IOException {
    write("one");
    Files.move(path, folder.resolve("moved"));
    now.addAndGet(Duration.ofSeconds(1).toNanos());
    write("two");
    assertThat(read("moved")).containsExactly("one");
    assertThat(read("access.log")).containsExactly("two");
  }

  @Test
  void nothingIsWrittenOfLinesThatDoNotFitOnTheDisk() {
    file = new RollingFile(Path.of("/dev/full"), 0, 1, now::get);
    assertThatThrownBy(() -> write("one"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("No space left");
  }
}
