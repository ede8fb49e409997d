package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufObjects;
import dev.sluice.transport.Body;
import dev.sluice.transport.Buffers;
import io.vertx.core.buffer.Buffer;

/** The generated messages of the rare calls, from and to bytes. */
final class TfsMessages {
  private TfsMessages() {}

  /**
   * Reads a message.
   *
   * @param type its name, for texts
   * @throws InferenceException with INVALID_ARGUMENT if it is none, RESOURCE_EXHAUSTED if there is
   *     no memory for it
   */
  static <T extends Message> T read(String type, Parser<T> parser, Body message) {
    try {
      return ProtobufObjects.read(parser, message);
    } catch (InvalidProtocolBufferException e) {
      throw InferenceException.invalid("the message is not a " + type + ": " + e.getMessage());
    }
  }

  static Buffer write(Message message) {
    return Buffers.wrap(message.toByteArray());
  }
}
