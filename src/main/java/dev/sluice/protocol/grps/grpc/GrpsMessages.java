package dev.sluice.protocol.grps.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.Status;
import dev.sluice.transport.Body;
import dev.sluice.transport.Buffers;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads and writes whole messages by the generated classes, for calls that are not hot. */
final class GrpsMessages {
  private GrpsMessages() {}

  /** Parses a message and answers it; what the call throws becomes a status in the answer. */
  static Future<Buffer> answer(Body body, Function<GrpsMessage, GrpsMessage> call) {
    try {
      return Future.succeededFuture(Buffers.wrap(answer(parse(body), call).toByteArray()));
    } catch (InvalidProtocolBufferException e) {
      return Future.failedFuture(malformed(e.getMessage()));
    }
  }

  private static GrpsMessage answer(GrpsMessage request, Function<GrpsMessage, GrpsMessage> call) {
    try {
      return call.apply(request);
    } catch (InferenceException e) {
      return of(GrpsStatus.of(e));
    }
  }

  private static GrpsMessage parse(Body body) throws InvalidProtocolBufferException {
    return GrpsMessage.parseFrom(ByteBuffer.wrap(body.bytes(), body.offset(), body.length()));
  }

  /** Returns a message that is only a status. */
  static GrpsMessage of(GrpsStatus status) {
    return GrpsMessage.newBuilder().setStatus(statusOf(status)).build();
  }

  /** Returns a successful message with text. */
  static GrpsMessage text(String text) {
    return GrpsMessage.newBuilder().setStatus(statusOf(GrpsStatus.OK)).setStrData(text).build();
  }

  private static Status statusOf(GrpsStatus status) {
    return Status.newBuilder()
        .setCode(status.code())
        .setMsg(status.message())
        .setStatusValue(status.flagNumber())
        .build();
  }

  /** Returns the error for bytes that are not a message. */
  static InferenceException malformed(@Nullable String why) {
    return InferenceException.invalid("the message is not a GrpsMessage: " + why);
  }
}
