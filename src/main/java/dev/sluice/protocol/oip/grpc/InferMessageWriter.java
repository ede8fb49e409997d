package dev.sluice.protocol.oip.grpc;

import dev.sluice.protocol.codec.RawTensors;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Buffers;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes a protobuf message into an array that was made as large as the message will be: what
 * {@link #size} and its fellows add up to. Tensors are copied straight into their place.
 */
final class InferMessageWriter {
  private final byte[] bytes;
  private int at;

  InferMessageWriter(int size) {
    MemoryAccount.chargeCurrent(Kind.ANSWER, size);
    this.bytes = new byte[size];
  }

  /** Returns the number of bytes of a number as a varint. */
  static int size(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** Returns the number of bytes of a field of a length of its own, with a tag of one byte. */
  static long fieldSize(long length) {
    return 1 + size(length) + length;
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[at++] = (byte) rest;
  }

  /** Begins a field of a length of its own. */
  void begin(int tag, long length) {
    varint(tag);
    varint(length);
  }

  void field(int tag, byte[] value) {
    begin(tag, value.length);
    raw(value);
  }

  /** Writes whole fields as they are. */
  void raw(byte[] fields) {
    System.arraycopy(fields, 0, bytes, at, fields.length);
    at += fields.length;
  }

  void field(int tag, Tensor tensor) {
    begin(tag, tensor.byteSize());
    RawTensors.write(tensor, bytes, at);
    at += (int) tensor.byteSize();
  }

  Buffer toBuffer() {
    return Buffers.wrap(bytes, 0, at);
  }
}
