package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.telemetry.Api;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.transport.Body;
import dev.sluice.transport.Exchange;
import dev.sluice.transport.grpc.GrpcCall;
import dev.sluice.transport.grpc.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** The road of a Predict call: read and check, copy in, ask, write. */
final class PredictMethod implements GrpcMethod {
  private final DataPlane data;
  private final PredictSettings settings;

  PredictMethod(DataPlane data, PredictSettings settings) {
    this.data = data;
    this.settings = settings;
  }

  @Override
  public int[] tensorPath() {
    return PredictQuery.TENSOR_CONTENT;
  }

  @Override
  public Future<Buffer> answer(GrpcCall call, Body message) {
    return call.compute(message.work(), () -> plan(call, message))
        .compose(plan -> decode(call, plan))
        .compose(request -> call.ask(data, request))
        .compose(response -> encode(call, response));
  }

  private PredictPlan plan(Exchange call, Body message) {
    PredictQuery query = PredictQuery.read(message);
    call.measure(Api.TFS_PREDICT, query.model().selector().name());
    return PredictPlan.make(query, data, call.caller(), settings);
  }

  private static Future<InferenceRequest> decode(Exchange exchange, PredictPlan plan) {
    return exchange
        .compute(plan.byteSize(), () -> plan.decode(exchange.deadline(), exchange.requestId()))
        .onFailure(_ -> plan.abandon());
  }

  private Future<Buffer> encode(Exchange exchange, InferenceResponse response) {
    return exchange
        .compute(byteSize(response), () -> PredictResponseWriter.write(response, settings))
        .onComplete(_ -> response.close());
  }

  private static long byteSize(InferenceResponse response) {
    long bytes = 0;
    for (NamedTensor output : response.outputs()) {
      bytes += output.tensor().byteSize();
    }
    return bytes;
  }
}
