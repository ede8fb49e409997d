package dev.sluice.protocol.tfs.grpc;

import dev.sluice.protocol.tfs.requestlog.TfRecordFormat;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads a TFRecord file one record after the other. No length is believed before its check sum is
 * right and the file is long enough.
 */
final class TfRecordReader implements Closeable {
  /** Protobuf messages are no longer. */
  private static final long MOST_BYTES = Integer.MAX_VALUE - 1024;

  private static final int HEAD = Long.BYTES + Integer.BYTES;

  private final FileChannel file;

  TfRecordReader(Path path) throws IOException {
    this.file = FileChannel.open(path);
  }

  /**
   * Returns the next record; null at the end.
   *
   * @throws IOException if the file is no TFRecord
   */
  byte @Nullable [] next() throws IOException {
    long begin = file.position();
    if (begin == file.size()) {
      return null;
    }
    byte[] head = read(HEAD, begin);
    ByteBuffer numbers = littleEndian(head);
    long length = numbers.getLong();
    requireCrc(head, Long.BYTES, numbers.getInt(), begin);
    if (length < 0 || length > file.size() - file.position() - Integer.BYTES) {
      throw new EOFException("truncated record at " + begin);
    }
    if (length > MOST_BYTES) {
      throw new IOException("the record at byte " + begin + " has " + length + " bytes");
    }
    byte[] data = read((int) length, begin);
    requireCrc(data, data.length, littleEndian(read(Integer.BYTES, begin)).getInt(), begin);
    return data;
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private byte[] read(int length, long record) throws IOException {
    if (length > file.size() - file.position()) {
      throw new EOFException("truncated record at " + record);
    }
    byte[] bytes = new byte[length];
    var room = ByteBuffer.wrap(bytes);
    while (room.hasRemaining()) {
      if (file.read(room) < 0) {
        throw new EOFException("the file became shorter while it was read");
      }
    }
    return bytes;
  }

  private static void requireCrc(byte[] data, int length, int wanted, long at) throws IOException {
    if (TfRecordFormat.maskedCrc(data, length) != wanted) {
      throw new IOException("corrupted record at " + at);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
