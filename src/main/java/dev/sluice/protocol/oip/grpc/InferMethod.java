package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.GrpcCall;
import dev.sluice.transport.grpc.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** The road of a {@code ModelInfer} call: decode, ask, encode. */
record InferMethod(OipServer server) implements GrpcMethod {
  private static final int[] RAW_TENSOR = {Wire.RAW_INPUT_CONTENTS};

  @Override
  public int[] tensorPath() {
    return RAW_TENSOR;
  }

  @Override
  public Future<Buffer> answer(GrpcCall call, Body message) {
    return call.compute(message.work(), () -> decode(call, message))
        .compose(decoded -> run(call, decoded));
  }

  /** The tensors hold on to the message's memory for as long as they need it. */
  private InferCall.Decoded decode(GrpcCall call, Body message) {
    try (message) {
      return InferCall.decode(server, message, call);
    }
  }

  private Future<Buffer> run(GrpcCall call, InferCall.Decoded decoded) {
    return call.ask(server.data(), decoded.request())
        .compose(response -> encode(call, response, decoded.id()));
  }

  private static Future<Buffer> encode(GrpcCall call, InferenceResponse response, String id) {
    return call.compute(InferAnswer.likelySize(response), () -> InferAnswer.encode(response, id))
        .onComplete(_ -> response.close());
  }
}
