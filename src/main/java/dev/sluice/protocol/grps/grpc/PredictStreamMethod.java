package dev.sluice.protocol.grps.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.grps.PredictCall;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.method.GrpcStreamCall;
import dev.sluice.transport.grpc.method.GrpcStreamMethod;
import io.vertx.core.Future;

/**
 * Answers PredictStreaming: one message in, any number out.
 *
 * <p>Backpressure: responses are requested from the model as fast as the client reads.
 */
record PredictStreamMethod(PredictCall call) implements GrpcStreamMethod {
  @Override
  public Messages open(GrpcStreamCall exchange) {
    return new OneMessage(exchange);
  }

  /** The request, which is one message. */
  private final class OneMessage implements Messages {
    private final GrpcStreamCall exchange;
    private boolean taken;

    OneMessage(GrpcStreamCall exchange) {
      this.exchange = exchange;
    }

    @Override
    public Future<?> take(Body message) {
      if (taken) {
        throw InferenceException.invalid("PredictStreaming takes one message, got another");
      }
      taken = true;
      var client = new StreamedMessages(exchange);
      begin(exchange, message, client).onFailure(client::fail);
      return Future.succeededFuture();
    }

    @Override
    public void end() {
      if (!taken) {
        throw InferenceException.invalid("PredictStreaming takes one message, got none");
      }
    }
  }

  private Future<?> begin(GrpcStreamCall exchange, Body body, StreamedMessages client) {
    try {
      WireMessage message = WireMessage.scan(body);
      return call.stream(
          exchange,
          message.model(),
          body.length(),
          message::decode,
          client,
          response -> GrpsMessageWriter.write(message.form(), response));
    } catch (InferenceException | ProtobufException e) {
      return Future.failedFuture(e);
    }
  }
}
