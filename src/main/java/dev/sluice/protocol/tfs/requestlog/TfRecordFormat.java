package dev.sluice.protocol.tfs.requestlog;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The TFRecord format: length, its check sum, the data, its check sum.
 *
 * <p>Little-endian; check sums are masked CRC-32C, as in TensorFlow's record_writer.
 */
public final class TfRecordFormat {
  private static final int CRC_ROTATION = 15;
  private static final int CRC_MASK = 0xA282EAD8;

  private TfRecordFormat() {}

  /** Returns the check sum as the format writes it. */
  public static int maskedCrc(byte[] data, int length) {
    var crc = new CRC32C();
    crc.update(data, 0, length);
    return Integer.rotateRight((int) crc.getValue(), CRC_ROTATION) + CRC_MASK;
  }

  /** Returns one record, ready to be written. */
  static ByteBuffer record(byte[] data) {
    var record =
        ByteBuffer.allocate(Long.BYTES + Integer.BYTES + data.length + Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(data.length);
    return record
        .putInt(maskedCrc(record.array(), Long.BYTES))
        .put(data)
        .putInt(maskedCrc(data, data.length))
        .flip();
  }
}
