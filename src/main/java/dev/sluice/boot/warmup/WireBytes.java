package dev.sluice.boot.warmup;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Pieces of what a client sends: frames of HTTP/2, fields of Protocol Buffers. Any thread. */
final class WireBytes {
  static final String HTTP2_PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int WINDOW_UPDATE = 8;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;

  private WireBytes() {}

  static byte[] frame(int type, int flags, int stream, byte[]... parts) {
    byte[] payload = join(parts);
    byte[] head =
        ByteBuffer.allocate(9)
            .putInt(payload.length << 8 | type)
            .put((byte) flags)
            .putInt(stream)
            .array();
    return join(head, payload);
  }

  /** Returns a field of bytes, of text, or of another message, in Protocol Buffers' encoding. */
  static byte[] field(int number, byte[]... parts) {
    byte[] content = join(parts);
    return join(varint(number << 3 | 2), varint(content.length), content);
  }

  static byte[] number(int field, int value) {
    return join(varint(field << 3), varint(value));
  }

  /** Nothing here needs a second byte. */
  static byte[] varint(int value) {
    return new byte[] {(byte) value};
  }

  static byte[] sized(String text) {
    return join(new byte[] {(byte) text.length()}, ascii(text));
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  static byte[] join(byte[]... parts) {
    var all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
