package dev.sluice.transport;

import java.io.IOException;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Undoes gzip (RFC 1952, of any number of members) or deflate (RFC 1950 or 1951) of a body, piece
 * by piece and to its last byte: what is cut, damaged or followed by other bytes is an error. Reads
 * the body where it lies, without a copy. One thread; the owner closes it, which frees native
 * memory.
 */
final class Inflation implements AutoCloseable {
  private static final int GZIP_HEAD = 10;
  private static final int GZIP_FIRST = 0x1F;
  private static final int GZIP_SECOND = 0x8B;
  private static final int DEFLATE = 8;
  private static final int HEAD_CHECKED = 2;
  private static final int EXTRA = 4;
  private static final int NAME = 8;
  private static final int COMMENT = 16;
  private static final int RESERVED = 0xE0;
  private static final long LOWEST_32_BITS = 0xFFFF_FFFFL;

  private final byte[] bytes;
  private final int end;
  private final boolean gzip;
  private final Inflater inflater;
  private final CRC32 sum = new CRC32();
  private int at;
  private boolean within;

  private Inflation(Body body, boolean gzip, boolean bare) {
    this.bytes = body.bytes();
    this.at = body.offset();
    this.end = body.end();
    this.gzip = gzip;
    this.inflater = new Inflater(bare);
  }

  static Inflation ofGzip(Body body) {
    return new Inflation(body, true, true);
  }

  /** With or without zlib's wrapper. */
  static Inflation ofDeflate(Body body) {
    var inflation = new Inflation(body, false, !hasZlibHeader(body));
    inflation.begin();
    return inflation;
  }

  /** A zlib stream begins with 8 (deflate) in its low bits and a two-byte multiple of 31. */
  private static boolean hasZlibHeader(Body body) {
    if (body.length() < 2) {
      return true;
    }
    int first = body.bytes()[body.offset()] & 0xFF;
    int second = body.bytes()[body.offset() + 1] & 0xFF;
    return (first & 0x0F) == DEFLATE && ((first << Byte.SIZE) | second) % 31 == 0;
  }

  private void begin() {
    inflater.setInput(bytes, at, end - at);
    within = true;
  }

  /**
   * Inflates on.
   *
   * @return how many bytes were written into the array; fewer than there is room for only at the
   *     end
   * @throws IOException with a text for the client if the body is damaged
   */
  int read(byte[] into) throws IOException {
    int size = 0;
    while (size < into.length) {
      if (!within) {
        if (!nextMember()) {
          return size;
        }
      } else if (inflater.finished()) {
        finish();
      } else {
        size += inflate(into, size);
      }
    }
    return size;
  }

  private int inflate(byte[] into, int from) throws IOException {
    try {
      int got = inflater.inflate(into, from, into.length - from);
      if (got == 0 && inflater.needsDictionary()) {
        throw new IOException("it needs a preset dictionary");
      }
      if (got == 0 && !inflater.finished()) {
        throw cut();
      }
      if (gzip) {
        sum.update(into, from, got);
      }
      return got;
    } catch (DataFormatException e) {
      throw new IOException(e.getMessage() == null ? "it is damaged" : e.getMessage(), e);
    }
  }

  private static IOException cut() {
    return new IOException("it ends too early");
  }

  private void finish() throws IOException {
    at = end - inflater.getRemaining();
    within = false;
    if (gzip) {
      long written = inflater.getBytesWritten() & LOWEST_32_BITS;
      if (number(4) != sum.getValue() || number(4) != written) {
        throw new IOException("its checksum is wrong");
      }
    }
  }

  /** Begins the next member of a gzip body; false at the end. */
  private boolean nextMember() throws IOException {
    if (at == end && (!gzip || inflater.finished())) {
      return false;
    }
    if (!gzip || (inflater.finished() && !isMagic())) {
      throw new IOException("it has bytes behind its end: %d".formatted(end - at));
    }
    readHead();
    inflater.reset();
    sum.reset();
    begin();
    return true;
  }

  private boolean isMagic() {
    return end - at >= 2
        && (bytes[at] & 0xFF) == GZIP_FIRST
        && (bytes[at + 1] & 0xFF) == GZIP_SECOND;
  }

  private void readHead() throws IOException {
    int begin = at;
    if (end - at >= 2 && !isMagic()) {
      throw new IOException("it does not begin like gzip");
    }
    skip(GZIP_HEAD);
    int flags = bytes[begin + 3] & 0xFF;
    if (bytes[begin + 2] != DEFLATE || (flags & RESERVED) != 0) {
      throw new IOException("its gzip header is none that is known");
    }
    if ((flags & EXTRA) != 0) {
      skip((int) number(2));
    }
    skipText(flags & NAME);
    skipText(flags & COMMENT);
    if ((flags & HEAD_CHECKED) != 0) {
      sum.reset();
      sum.update(bytes, begin, at - begin);
      if (number(2) != (sum.getValue() & 0xFFFF)) {
        throw new IOException("the checksum of its gzip header is wrong");
      }
    }
  }

  private void skip(int count) throws IOException {
    if (end - at < count) {
      throw cut();
    }
    at += count;
  }

  /** Skips a text and the zero behind it, if there is one. */
  private void skipText(int there) throws IOException {
    if (there != 0) {
      int zero = at;
      while (zero < end && bytes[zero] != 0) {
        zero++;
      }
      skip(zero - at + 1);
    }
  }

  /** The next bytes, the lowest first. */
  private long number(int count) throws IOException {
    skip(count);
    long number = 0;
    for (int i = 1; i <= count; i++) {
      number = (number << Byte.SIZE) | (bytes[at - i] & 0xFF);
    }
    return number;
  }

  @Override
  public void close() {
    inflater.close();
  }
}
