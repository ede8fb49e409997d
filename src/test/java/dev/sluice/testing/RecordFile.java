package dev.sluice.testing;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Writes TFRecord files. */
public final class RecordFile {
  private static final int MASK = 0xA282EAD8;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** Adds a record. */
  public RecordFile add(byte[] data) {
    return head(data.length).bytes(data).crc(data);
  }

  /** Adds what stands before a record of so many bytes. */
  public RecordFile head(long length) {
    byte[] size = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(length).array();
    return bytes(size).crc(size);
  }

  private RecordFile bytes(byte[] data) {
    out.writeBytes(data);
    return this;
  }

  private RecordFile crc(byte[] data) {
    var crc = new CRC32C();
    crc.update(data);
    int value = (int) crc.getValue();
    int masked = ((value >>> 15) | (value << 17)) + MASK;
    return bytes(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(masked).array());
  }

  public byte[] toBytes() {
    return out.toByteArray();
  }
}
