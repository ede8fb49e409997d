package dev.sluice.protocol.tfs.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.RecordFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TfRecordReaderTest {
  @TempDir private Path folder;

  private List<byte[]> read(byte[] file) throws IOException {
    var all = new ArrayList<byte[]>();
    try (var reader = new TfRecordReader(Files.write(folder.resolve("records"), file))) {
      for (byte[] next = reader.next(); next != null; next = reader.next()) {
        all.add(next);
      }
    }
    return all;
  }

  @Test
  void recordsComeInTheirOrder() throws IOException {
    byte[] file = new RecordFile().add(new byte[] {1, 2}).add(new byte[0]).toBytes();
    assertThat(read(file)).containsExactly(new byte[] {1, 2}, new byte[0]);
    assertThat(read(new byte[0])).isEmpty();
  }

  @Test
  void aLengthBeyondTheFileIsRefusedBeforeMemoryIsTaken() {
    assertThatThrownBy(() -> read(new RecordFile().head(Long.MAX_VALUE).toBytes()))
        .isInstanceOf(IOException.class)
        .hasMessage("truncated record at 0");
    assertThatThrownBy(() -> read(new RecordFile().head(-1).toBytes()))
        .hasMessage("truncated record at 0");
  }

  @Test
  void everyChangedBitAndEveryCutIsFound() {
    byte[] file = new RecordFile().add(new byte[] {1, 2, 3}).add(new byte[40]).toBytes();
    var random = new SplittableRandom(7);
    for (int bit = 0; bit < file.length * 8; bit++) {
      byte[] changed = file.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> read(changed)).isInstanceOf(IOException.class);
    }
    int firstEnds = 12 + 3 + 4;
    for (int i = 0; i < 50; i++) {
      int length = random.nextInt(1, file.length);
      if (length != firstEnds) {
        assertThatThrownBy(() -> read(Arrays.copyOf(file, length))).isInstanceOf(IOException.class);
      }
    }
  }
}
