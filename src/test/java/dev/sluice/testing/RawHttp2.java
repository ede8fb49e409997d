package dev.sluice.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Bytes of HTTP/2 as clients send them, well formed, with no table of headers to keep; frames. */
public final class RawHttp2 {
  /** What a client says first. */
  public static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);

  public static final int DATA = 0;
  public static final int HEADERS = 1;
  public static final int RST_STREAM = 3;
  public static final int PING = 6;
  public static final int WINDOW_UPDATE = 8;
  public static final int END_STREAM = 1;
  public static final int END_HEADERS = 4;

  /** Settings that change nothing. */
  public static final byte[] SETTINGS = frame(4, 0, 0, new byte[0]);

  /** The acknowledgement of the server's settings, which puts its windows into force. */
  public static final byte[] SETTINGS_ACK = frame(4, 1, 0, new byte[0]);

  /** Settings by which the server may send no byte of an answer. */
  public static final byte[] NO_WINDOW = frame(4, 0, 0, new byte[] {0, 4, 0, 0, 0, 0});

  private RawHttp2() {}

  /** A frame as it was read. */
  @SuppressWarnings("ArrayRecordComponent") // Frames are not compared.
  public record Frame(int type, int flags, int stream, byte[] payload) {
    /** Reads the next one. */
    public static Frame read(DataInputStream in) throws IOException {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      return new Frame(type, flags, stream, in.readNBytes(length));
    }

    /** Reads until one of this type comes. */
    public static Frame await(DataInputStream in, int type) throws IOException {
      Frame frame = read(in);
      while (frame.type != type) {
        frame = read(in);
      }
      return frame;
    }

    /** The number that the payload begins with. */
    public int number() {
      return ByteBuffer.wrap(payload).getInt();
    }

    /** Whether it is the last one of its stream. */
    public boolean ends() {
      return type == RST_STREAM || ((type == HEADERS || type == DATA) && (flags & END_STREAM) != 0);
    }
  }

  /** A frame. */
  public static byte[] frame(int type, int flags, int stream, byte[] payload) {
    var frame = new ByteArrayOutputStream(9 + payload.length);
    frame.write(payload.length >> 16);
    frame.write(payload.length >> 8);
    frame.write(payload.length);
    frame.write(type);
    frame.write(flags);
    writeInt(frame, stream);
    frame.writeBytes(payload);
    return frame.toByteArray();
  }

  /** The head of a POST: JSON to a path of V2, and gRPC to others. */
  public static byte[] headers(int stream, String path) {
    return headers(stream, path, path.startsWith("/v2") ? "application/json" : "application/grpc");
  }

  /** The head of a POST. */
  public static byte[] headers(int stream, String path, String contentType) {
    return headers(stream, path, contentType, 0);
  }

  /** The same with a header more, whose value has so many characters. */
  public static byte[] headers(int stream, String path, String contentType, int more) {
    var block = new ByteArrayOutputStream();
    block.write(0x83); // :method POST
    block.write(0x86); // :scheme http
    literal(block, 4, path);
    literal(block, 1, "localhost");
    literal(block, 31, contentType);
    if (more > 0) {
      block.write(0);
      text(block, "x-more");
      text(block, "x".repeat(more));
    }
    return frame(HEADERS, END_HEADERS, stream, block.toByteArray());
  }

  /** The head of a POST with a header more. */
  public static byte[] post(
      int stream, String path, String contentType, String name, String value) {
    return head(
        0,
        stream,
        List.of(
            ":method",
            "POST",
            ":scheme",
            "http",
            ":path",
            path,
            ":authority",
            "localhost",
            "content-type",
            contentType,
            name,
            value));
  }

  /** A head, or trailers, of names and values in turn, whether they make sense or not. */
  public static byte[] head(int flags, int stream, List<String> namesAndValues) {
    var block = new ByteArrayOutputStream();
    for (int i = 0; i < namesAndValues.size(); i += 2) {
      block.write(0);
      text(block, namesAndValues.get(i));
      text(block, namesAndValues.get(i + 1));
    }
    return frame(HEADERS, END_HEADERS | flags, stream, block.toByteArray());
  }

  /** A message of gRPC with its prefix. */
  public static byte[] message(byte[] message) {
    return joined(messageHead(message.length), message);
  }

  /** The prefix of a message of gRPC. */
  public static byte[] messageHead(int length) {
    var head = new ByteArrayOutputStream(5);
    head.write(0);
    writeInt(head, length);
    return head.toByteArray();
  }

  /** All of them, one behind the other. */
  public static byte[] joined(byte[]... parts) {
    var joined = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      joined.writeBytes(part);
    }
    return joined.toByteArray();
  }

  /** A header with a name of HPACK's table, not to be kept. */
  private static void literal(ByteArrayOutputStream block, int name, String value) {
    if (name < 15) {
      block.write(name);
    } else {
      block.write(15);
      block.write(name - 15);
    }
    text(block, value);
  }

  private static void text(ByteArrayOutputStream block, String text) {
    int length = text.length();
    if (length < 127) {
      block.write(length);
    } else {
      block.write(127);
      int rest = length - 127;
      while (rest >= 128) {
        block.write(rest % 128 + 128);
        rest /= 128;
      }
      block.write(rest);
    }
    block.writeBytes(text.getBytes(ISO_8859_1));
  }

  private static void writeInt(ByteArrayOutputStream out, int value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      out.write(value >> shift);
    }
  }
}
