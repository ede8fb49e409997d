package dev.sluice.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.TensorMemory;
import io.vertx.core.buffer.Buffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteCollectorTest {
  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static void addAll(ByteCollector collector, byte[] bytes, int pieceSize) {
    for (int at = 0; at < bytes.length; at += pieceSize) {
      int size = Math.min(pieceSize, bytes.length - at);
      collector.add(Buffer.buffer().appendBytes(bytes, at, size));
    }
  }

  @ParameterizedTest(name = "{0} bytes in pieces of {1}, announced {2}")
  @CsvSource({
    "0, 1, 0",
    "1, 1, -1",
    "1000, 7, 1000",
    "1000, 7, -1",
    "1000, 7, 10",
    "200000, 16384, 200000",
    "5000000, 65536, 5000000",
    "5000000, 65536, -1",
    "5000000, 999983, 2000000",
    "70000, 70000, 4000000000",
  })
  void whateverThePiecesAndTheAnnouncementTheBytesAreJoined(int size, int piece, long announced) {
    byte[] sent = random(size);
    var collector = new ByteCollector();
    collector.expect(announced);
    addAll(collector, sent, piece);
    assertThat(collector.size()).isEqualTo(size);
    Body body = collector.toBody();
    assertThat(body.segment().toArray(JAVA_BYTE)).isEqualTo(sent);
    assertThat(body.block()).isNull();
  }

  @Test
  void aBodyInOnePieceIsNotCopied() {
    byte[] sent = random(1_000);
    var collector = new ByteCollector();
    collector.expect(sent.length);
    collector.add(Buffers.wrap(sent, 0, sent.length));
    assertThat(collector.toBody().bytes()).isSameAs(sent);
  }

  @Test
  void aLandedBodyHasItsTensorOnABoundaryAndIsFreedWhenItIsClosed() {
    long before = TensorMemory.openBlocks();
    byte[] sent = random(100_000);
    var collector = new ByteCollector();
    collector.expect(sent.length);
    assertThat(collector.isLarge()).isTrue();
    collector.land(219);
    addAll(collector, sent, 30_000);
    assertThat(collector.fits(1)).isFalse();
    try (Body body = collector.toBody()) {
      assertThat(body.slice(219, 64).segment().address() % 64).isZero();
      assertThat(body.onHeap().bytes()).isEqualTo(sent);
      assertThat(body.slice(10, 20).onHeap().bytes()).hasSize(20).startsWith(sent[10]);
    }
    assertThat(TensorMemory.openBlocks()).isEqualTo(before);
  }

  @Test
  void anUnreadNativeBodyIsFreed() {
    long before = TensorMemory.openBlocks();
    var collector = new ByteCollector();
    collector.expect(1L << 30);
    collector.land(0);
    collector.add(Buffer.buffer("a beginning"));
    collector.clear();
    assertThat(TensorMemory.openBlocks()).isEqualTo(before);
  }
}
