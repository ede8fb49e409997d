package dev.sluice.transport.brpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.InferenceException;
import dev.sluice.testing.BrpcClient.Call;
import dev.sluice.testing.Mutations;
import dev.sluice.transport.Body;
import dev.sluice.transport.ByteCollector;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.compression.Snappy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameReaderTest {
  private static final int ROUNDS = 100_000;
  private static final int LONGEST_BODY = 4096;

  /** What a reader has told. */
  private static final class RecordedFrames implements FrameReader.Frames {
    final List<String> frames = new ArrayList<>();
    boolean ended;

    @Override
    public boolean admits(RpcMeta meta, long length) {
      return true;
    }

    @Override
    public void frame(RpcMeta meta, ByteCollector body) {
      assertThat(ended).isFalse();
      Body whole = body.toBody();
      assertThat(whole.length()).isLessThanOrEqualTo(LONGEST_BODY);
      frames.add(
          "%s/%s %d %s"
              .formatted(
                  meta.service(),
                  meta.method(),
                  meta.correlationId(),
                  new String(
                      whole.bytes(), whole.offset(), whole.length(), StandardCharsets.UTF_8)));
    }

    @Override
    public void tooLarge(RpcMeta meta, long length) {
      assertThat(length).isGreaterThan(LONGEST_BODY);
      ended = true;
    }

    @Override
    public void malformed(String why) {
      ended = true;
    }
  }

  private static byte[] sound() {
    byte[] first = new Call("a.Service", "Method", -3).within(20).frame("message".getBytes(UTF));
    byte[] second = new Call("a.Service", "Other", 4).attaching(1).frame("x".getBytes(UTF));
    byte[] both = new byte[first.length + second.length];
    System.arraycopy(first, 0, both, 0, first.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private static final java.nio.charset.Charset UTF = StandardCharsets.UTF_8;

  private static RecordedFrames read(byte[] bytes, Random cuts) {
    var recorded = new RecordedFrames();
    var reader = new FrameReader(LONGEST_BODY, recorded);
    ByteBuf all = Unpooled.wrappedBuffer(bytes);
    while (all.isReadable()) {
      ByteBuf piece = all.readSlice(1 + cuts.nextInt(all.readableBytes()));
      while (piece.isReadable()) {
        reader.read(piece);
      }
    }
    return recorded;
  }

  @Test
  void framesAreReadHoweverTheyAreCut() {
    var cuts = new Random(1);
    for (int i = 0; i < 1000; i++) {
      assertThat(read(sound(), cuts).frames)
          .containsExactly("a.Service/Method -3 message", "a.Service/Other 4 x");
    }
  }

  @Test
  void damagedBytesAreFramesOrTheEnd() {
    var mutations = new Mutations(2);
    var cuts = new Random(2);
    int ended = 0;
    for (int i = 0; i < ROUNDS; i++) {
      ended += read(mutations.damage(sound()), cuts).ended ? 1 : 0;
    }
    assertThat(ended).isGreaterThan(ROUNDS / 10);
  }

  @Test
  void damagedSnappyIsAMessageOrTheCallersFault() {
    byte[] text = "a rose is a rose is a rose ".repeat(20).getBytes(UTF);
    ByteBuf out = Unpooled.buffer();
    new Snappy().encode(Unpooled.wrappedBuffer(text), out, text.length);
    byte[] sound = ByteBufUtil.getBytes(out);
    var mutations = new Mutations(3);
    int refused = 0;
    for (int i = 0; i < ROUNDS; i++) {
      try {
        Body plain = Compression.SNAPPY.undo(Body.of(mutations.damage(sound)), 10_000);
        assertThat(plain.length()).isLessThanOrEqualTo(10_000);
      } catch (InferenceException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(ROUNDS / 10);
  }
}
