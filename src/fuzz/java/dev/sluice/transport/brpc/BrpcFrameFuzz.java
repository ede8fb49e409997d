package dev.sluice.transport.brpc;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.transport.Body;
import dev.sluice.transport.ByteCollector;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Frames of brpc's baidu_std and their RpcMeta: the same however the bytes are cut. */
final class BrpcFrameFuzz implements FuzzTarget {
  private static final int LONGEST_BODY = 4096;

  @Override
  public void accept(byte[] input) {
    List<String> whole = read(List.of(input));
    List<String> cut = read(new InputBytes(input).pieces());
    if (!whole.equals(cut)) {
      throw new AssertionError(whole + " as a whole, " + cut + " in pieces");
    }
  }

  private static List<String> read(List<byte[]> pieces) {
    var frames = new RecordedFrames();
    var reader = new FrameReader(LONGEST_BODY, frames);
    for (byte[] piece : pieces) {
      ByteBuf in = Unpooled.wrappedBuffer(piece);
      while (in.isReadable()) {
        reader.read(in);
      }
    }
    frames.read.add(reader.isBetweenFrames() ? "between" : "within");
    return frames.read;
  }

  /** Takes all frames but those of the method "no". */
  private static final class RecordedFrames implements FrameReader.Frames {
    private final List<String> read = new ArrayList<>();
    private boolean ended;

    private void add(String what) {
      if (ended) {
        throw new AssertionError("a frame behind the end");
      }
      read.add(what);
    }

    @Override
    public boolean admits(RpcMeta meta, long length) {
      return !meta.method().equals("no");
    }

    @Override
    public void frame(RpcMeta meta, ByteCollector body) {
      try (Body whole = body.toBody()) {
        if (whole.length() > LONGEST_BODY) {
          throw new AssertionError("a body of " + whole.length() + " bytes");
        }
        add(
            meta
                + Arrays.toString(
                    whole.segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)));
      }
    }

    @Override
    public void tooLarge(RpcMeta meta, long length) {
      add("too large " + meta + length);
      ended = true;
    }

    @Override
    public void malformed(String why) {
      add(why);
      ended = true;
    }
  }
}
