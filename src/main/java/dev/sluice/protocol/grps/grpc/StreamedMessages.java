package dev.sluice.protocol.grps.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.ClientStream;
import dev.sluice.transport.grpc.method.GrpcStreamCall;
import io.vertx.core.buffer.Buffer;

/**
 * The messages of a stream. A failure is one more of them, and the call itself ends well; but a
 * stream that has sent nothing may end as Predict does.
 */
final class StreamedMessages implements ClientStream {
  private final GrpcStreamCall call;
  private boolean begun;

  StreamedMessages(GrpcStreamCall call) {
    this.call = call;
  }

  @Override
  public boolean isWriteQueueFull() {
    return call.isWriteQueueFull();
  }

  @Override
  public void onWritable(Runnable action) {
    call.onWritable(action);
  }

  @Override
  public void write(Buffer message) {
    begun = true;
    call.write(message);
  }

  @Override
  public void end() {
    call.end();
  }

  @Override
  public void fail(Throwable failure) {
    switch (failure) {
      case ProtobufException e -> call.fail(GrpsMessages.malformed(e.getMessage()));
      case InferenceException e when begun || !GrpsPredictMethod.endsTheCall(e.code()) -> {
        var last = GrpsMessages.of(GrpsStatus.ofPrediction(call.explain(e)));
        call.write(Buffers.wrap(last.toByteArray()));
        call.end();
      }
      default -> call.fail(failure);
    }
  }
}
