package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.SharedMemory;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.method.GrpcCall;
import dev.sluice.transport.grpc.method.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Handles a {@code ModelInfer} call: decodes, runs, encodes.
 *
 * <p>Hot path: the message is decoded in place, the answer is one array.
 */
record InferMethod(OipServer server) implements GrpcMethod {
  private static final List<int[]> RAW_TENSOR =
      List.of(new int[] {InferMessageTags.RAW_INPUT_CONTENTS});

  @Override
  public List<int[]> tensorPaths() {
    return RAW_TENSOR;
  }

  @Override
  public Future<Buffer> answer(GrpcCall call, Body message) {
    Map<String, ParameterValue> metadata = forwarded(call, message);
    SharedMemory memory = server.memory(call);
    return call.compute(
            message.work() + (memory == null ? 0 : memory.work()),
            () -> decode(call, message, metadata, memory))
        .compose(decoded -> run(call, decoded));
  }

  private Map<String, ParameterValue> forwarded(GrpcCall call, Body message) {
    try {
      return server.forwarded().ofGrpc(call.metadata());
    } catch (InferenceException e) {
      message.close();
      throw e;
    }
  }

  /** Decodes the inputs; tensors keep the message's memory for as long as they need it. */
  private InferRequestReader.Decoded decode(
      GrpcCall call,
      Body message,
      Map<String, ParameterValue> metadata,
      @Nullable SharedMemory memory) {
    try (message) {
      return InferRequestReader.decode(server, message, call, metadata, memory);
    }
  }

  private Future<Buffer> run(GrpcCall call, InferRequestReader.Decoded decoded) {
    ModelMetadata model = decoded.request().model().metadata();
    call.record().traces(decoded.request(), decoded.id());
    return call.ask(
        server.data(),
        decoded.request(),
        response ->
            InferResponseWriter.encode(
                response, decoded.classes(), model, decoded.id(), decoded.slots()));
  }
}
