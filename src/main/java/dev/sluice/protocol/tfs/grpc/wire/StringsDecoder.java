package dev.sluice.protocol.tfs.grpc.wire;

import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import java.lang.foreign.MemorySegment;

/**
 * Copies strings into a BYTES tensor, by the same rules as {@link NumbersDecoder}.
 *
 * <p>Two passes: the lengths give the size of the tensor, then the bytes are copied once.
 */
final class StringsDecoder {
  private StringsDecoder() {}

  static Tensor decode(EncodedTensor from) {
    try (var builder = new TensorBuilder(DataType.BYTES, from.byteSize())) {
      if (from.content().length() > 0) {
        putContent(from, builder);
      } else {
        putValues(from, builder);
      }
      return builder.build(from.shape());
    }
  }

  /** Copies all lengths first, then all bytes. */
  private static void putContent(EncodedTensor from, TensorBuilder builder) {
    Body content = from.content();
    long elements = from.shape().elementCount();
    long prefixes = elements * Integer.BYTES;
    long at = content.length() - (from.byteSize() - prefixes);
    MemorySegment bytes = content.segment();
    var lengths = new ProtobufReader(content);
    for (long i = 0; i < elements; i++) {
      int length = (int) lengths.varint();
      builder.putBytes(bytes, at, length);
      at += length;
    }
  }

  private static void putValues(EncodedTensor from, TensorBuilder builder) {
    long elements = from.shape().elementCount();
    Body last = Body.EMPTY;
    var reader = new ProtobufReader(from.proto());
    for (int tag = reader.tag(); tag != 0 && builder.elements() < elements; tag = reader.tag()) {
      if (tag == ValuesField.STRING.packedTag()) {
        last = reader.bytes();
        builder.putBytes(last.segment(), 0, last.length());
      } else {
        reader.skip(tag);
      }
    }
    while (builder.elements() < elements) {
      builder.putBytes(last.segment(), 0, last.length());
    }
  }
}
