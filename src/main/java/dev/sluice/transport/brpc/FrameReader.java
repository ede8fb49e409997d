package dev.sluice.transport.brpc;

import dev.sluice.transport.Buffers;
import dev.sluice.transport.ByteCollector;
import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * Takes frames out of a connection's bytes, however they are cut: {@code PRPC}, the length of the
 * rest, the length of the meta, both with the highest byte first, the meta, the body. What is
 * announced is checked before anything is set aside for it.
 */
final class FrameReader {
  static final int HEAD = 12;

  /** The first bytes of every frame: PRPC. */
  static final int MAGIC = 0x50525043;

  /** Bytes of a meta: a few names and numbers, and credentials at most. */
  static final int LONGEST_META = 64 * 1024;

  private static final byte[] NOTHING = {};

  /** Receives the frames that were read. */
  interface Frames {
    /**
     * Takes a whole frame.
     *
     * @param body the message, and what is attached to it
     */
    void frame(RpcMeta meta, ByteCollector body);

    /**
     * Decides on a frame before any of its body is read.
     *
     * @return whether its body is wanted; if not, it is dropped as it arrives
     */
    boolean admits(RpcMeta meta, long length);

    /** Rejects a frame whose body is beyond the limit. Nothing is read after it. */
    void tooLarge(RpcMeta meta, long length);

    /** Rejects bytes that are no frame. Nothing is read after them. */
    void malformed(String why);
  }

  private enum Part {
    HEAD,
    META,
    BODY,
    DROPPED,
    NOTHING
  }

  private final long longestBody;
  private final Frames frames;
  private byte[] part = new byte[HEAD];
  private int filled;
  private Part reading = Part.HEAD;
  private long bodyLength;
  private RpcMeta meta;
  private ByteCollector body = new ByteCollector();

  /** Frames that were read or dropped. */
  private long read;

  /**
   * @param longestBody bytes that a frame's body may have
   */
  @SuppressWarnings("NullAway.Init") // The meta is there when a body is read.
  FrameReader(long longestBody, Frames frames) {
    this.longestBody = longestBody;
    this.frames = frames;
  }

  /** Returns whether no part of a frame has arrived that is not whole yet. */
  boolean isBetweenFrames() {
    return reading == Part.NOTHING || (reading == Part.HEAD && filled == 0);
  }

  /** Reads one frame, or all bytes that are there if they are less. Borrows them. */
  void read(ByteBuf in) {
    long before = read;
    while (in.isReadable() && read == before) {
      switch (reading) {
        case HEAD, META -> readPart(in);
        case BODY -> readBody(in);
        case DROPPED -> drop(in);
        case NOTHING -> in.skipBytes(in.readableBytes());
      }
    }
  }

  private void readPart(ByteBuf in) {
    int length = Math.min(in.readableBytes(), part.length - filled);
    in.readBytes(part, filled, length);
    filled += length;
    if (filled == part.length) {
      if (reading == Part.HEAD) {
        headRead();
      } else {
        metaRead();
      }
    }
  }

  private void headRead() {
    long length = number(4);
    long metaLength = number(8);
    if (number(0) != MAGIC) {
      end("a frame does not begin with PRPC");
    } else if (metaLength > length || metaLength > LONGEST_META) {
      end(
          "a frame of %d bytes has a meta of %d; wanted no more than the frame, nor than %d"
              .formatted(length, metaLength, LONGEST_META));
    } else if (metaLength == 0) {
      end("a frame has no meta");
    } else {
      bodyLength = length - metaLength;
      expect(Part.META, (int) metaLength);
    }
  }

  private long number(int at) {
    long value = 0;
    for (int i = at; i < at + Integer.BYTES; i++) {
      value = (value << Byte.SIZE) | (part[i] & 0xFF);
    }
    return value;
  }

  private void expect(Part next, int length) {
    reading = next;
    part = length == 0 ? NOTHING : new byte[length];
    filled = 0;
  }

  private void metaRead() {
    try {
      meta = RpcMeta.read(part);
    } catch (IOException e) {
      end("a frame's meta cannot be read: " + e.getMessage());
      return;
    }
    if (bodyLength > longestBody) {
      reading = Part.NOTHING;
      frames.tooLarge(meta, bodyLength);
      return;
    }
    if (!frames.admits(meta, bodyLength)) {
      expect(Part.DROPPED, 0);
      dropped(0);
      return;
    }
    expect(Part.BODY, 0);
    body.expect(bodyLength);
    bodyGrown();
  }

  private void drop(ByteBuf in) {
    int length = (int) Math.min(in.readableBytes(), bodyLength);
    in.skipBytes(length);
    dropped(length);
  }

  private void dropped(int length) {
    bodyLength -= length;
    if (bodyLength == 0) {
      read++;
      expect(Part.HEAD, HEAD);
    }
  }

  private void readBody(ByteBuf in) {
    var piece = new byte[(int) Math.min(in.readableBytes(), bodyLength - body.size())];
    in.readBytes(piece);
    body.add(Buffers.wrap(piece));
    bodyGrown();
  }

  private void bodyGrown() {
    if (body.size() == bodyLength) {
      ByteCollector whole = body;
      body = new ByteCollector();
      read++;
      expect(Part.HEAD, HEAD);
      frames.frame(meta, whole);
    }
  }

  private void end(String why) {
    reading = Part.NOTHING;
    frames.malformed(why);
  }
}
