package dev.sluice.protocol.grps.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.grps.GrpsMetadata;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.method.GrpcCall;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** Answers metadata calls: the server and its models as YAML text in {@code str_data}. */
record MetadataCalls(GrpsMetadata metadata) {
  Future<Buffer> server(GrpcCall call, Body body) {
    return GrpsMessages.answer(body, _ -> GrpsMessages.text(metadata.server(call.caller())));
  }

  Future<Buffer> model(GrpcCall call, Body body) {
    return GrpsMessages.answer(
        body, request -> GrpsMessages.text(metadata.model(name(request), call.caller())));
  }

  private static String name(GrpsMessage request) {
    if (!request.hasStrData()) {
      throw InferenceException.invalid("No model name.");
    }
    return request.getStrData();
  }
}
