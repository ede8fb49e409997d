package dev.sluice.transport.brpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Body;
import dev.sluice.transport.ContentCoding;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Snappy;

/**
 * The compression of a message, by its number on the wire.
 *
 * <p>Snappy, gzip and zlib as brpc numbers them. Inflated sizes are bounded as those of HTTP bodies
 * are.
 */
enum Compression {
  NONE(0),
  /** Snappy's plain form, without frames. */
  SNAPPY(24),
  GZIP(ContentCoding.MOST_RATIO),
  ZLIB(ContentCoding.MOST_RATIO);

  private final long mostRatio;

  Compression(long mostRatio) {
    this.mostRatio = mostRatio;
  }

  static Compression of(int number) {
    if (number < 0 || number >= values().length) {
      throw InferenceException.invalid(
          "compress_type is %d; wanted 0 (none), 1 (snappy), 2 (gzip) or 3 (zlib)"
              .formatted(number));
    }
    return values()[number];
  }

  /**
   * Returns the number of bytes that a compressed byte may become, so that a worker does what takes
   * long.
   */
  long mostRatio() {
    return mostRatio;
  }

  /**
   * Returns the message behind the compression.
   *
   * @param limit bytes it may have
   */
  Body undo(Body message, long limit) {
    return switch (this) {
      case NONE -> message;
      case SNAPPY -> snappy(message, limit);
      case GZIP -> ContentCoding.inflate("gzip", message, limit);
      case ZLIB -> ContentCoding.inflate("deflate", message, limit);
    };
  }

  private static Body snappy(Body message, long limit) {
    ByteBuf in = Unpooled.wrappedBuffer(message.bytes(), message.offset(), message.length());
    long announced = announced(in.duplicate());
    if (announced > limit) {
      throw new InferenceException(
          ErrorCode.TOO_LARGE,
          "the message has %d bytes once its snappy coding is undone, the limit is %d (setting"
                  .formatted(announced, limit)
              + " limits.max_inflated_size)");
    }
    // No client may have so many bytes allocated by a declared size alone.
    if (announced > message.length() * SNAPPY.mostRatio) {
      throw damaged("it announces " + announced + " bytes, more than snappy can make of it");
    }
    MemoryAccount.chargeCurrent(Kind.INFLATED, announced);
    ByteBuf out = Unpooled.buffer((int) announced, (int) announced);
    try {
      new Snappy().decode(in, out);
    } catch (DecompressionException | IndexOutOfBoundsException | IllegalArgumentException e) {
      // The library checks some of it by itself, and leaves the rest to its buffers.
      throw damaged(String.valueOf(e.getMessage()));
    }
    if (in.isReadable() || out.readableBytes() != announced) {
      throw damaged("it announces %d bytes, got %d".formatted(announced, out.readableBytes()));
    }
    return new Body(out.array(), out.arrayOffset(), out.readableBytes());
  }

  /** Returns the length in front: seven bits in each byte, the lowest first. */
  private static long announced(ByteBuf in) {
    long length = 0;
    for (int shift = 0; shift < Integer.SIZE && in.isReadable(); shift += 7) {
      int next = in.readByte();
      length |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return length;
      }
    }
    throw damaged("its length cannot be read");
  }

  private static InferenceException damaged(String why) {
    return InferenceException.invalid(
        "the message says it is snappy, but cannot be decompressed: " + why);
  }
}
