package dev.sluice.protocol.grps.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.protocol.grps.PredictCall;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.transport.Body;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.grpc.method.GrpcCall;
import dev.sluice.transport.grpc.method.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * Answers Predict.
 *
 * <p>Hot path: neither generated messages nor strings are made for tensors.
 */
record GrpsPredictMethod(PredictCall call) implements GrpcMethod {
  @Override
  public List<int[]> tensorPaths() {
    return WireMessage.TENSOR_PATHS;
  }

  @Override
  public Future<Buffer> answer(GrpcCall exchange, Body message) {
    return predict(exchange, message).recover(failure -> explain(exchange, failure));
  }

  private Future<Buffer> predict(GrpcCall exchange, Body body) {
    try {
      WireMessage message = WireMessage.scan(body);
      return call.run(
          exchange,
          message.model(),
          body.work(),
          inputs -> decode(body, message, inputs),
          response -> GrpsMessageWriter.write(message.form(), response));
    } catch (InferenceException | ProtobufException e) {
      return Future.failedFuture(e);
    }
  }

  /** Decodes the inputs; tensors keep the message's memory for as long as they need it. */
  private static void decode(Body body, WireMessage message, RequestInputs inputs) {
    try (body) {
      message.decode(inputs);
    }
  }

  private static Future<Buffer> explain(GrpcCall exchange, Throwable failure) {
    return switch (failure) {
      case ProtobufException e -> Future.failedFuture(GrpsMessages.malformed(e.getMessage()));
      case InferenceException e when !endsTheCall(e.code()) -> {
        exchange.record().failed(e.code());
        byte[] answer = GrpsMessages.of(GrpsStatus.ofPrediction(e)).toByteArray();
        yield Future.succeededFuture(Buffers.wrap(answer));
      }
      default -> Future.failedFuture(failure);
    };
  }

  static boolean endsTheCall(ErrorCode code) {
    return switch (code) {
      case RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, CANCELLED, TOO_LARGE -> true;
      case INVALID_ARGUMENT,
          NOT_FOUND,
          FAILED_PRECONDITION,
          UNAUTHENTICATED,
          PERMISSION_DENIED,
          UNIMPLEMENTED,
          UNAVAILABLE,
          UNKNOWN,
          OUT_OF_RANGE,
          DATA_LOSS,
          ABORTED,
          ALREADY_EXISTS,
          INTERNAL ->
          false;
    };
  }
}
