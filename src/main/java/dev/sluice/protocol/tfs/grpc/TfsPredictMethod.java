package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.Body;
import dev.sluice.transport.Exchange;
import dev.sluice.transport.grpc.method.GrpcCall;
import dev.sluice.transport.grpc.method.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Handles a Predict call: reads and checks it, copies the tensors, runs, writes.
 *
 * <p>Hot path: from the message's bytes to tensor memory in one copy, and back in one.
 */
record TfsPredictMethod(DataPlane data, PredictSettings settings) implements GrpcMethod {
  @Override
  public List<int[]> tensorPaths() {
    return PredictRequestView.TENSOR_CONTENT;
  }

  @Override
  public Future<Buffer> answer(GrpcCall call, Body message) {
    return call.compute(message.work(), () -> plan(call, message))
        .compose(planned ->
            decode(call, planned.plan())
                .compose(request -> call.ask(data, request, this::encode))
                .onSuccess(answer -> keep(planned.log(), answer)));
  }

  /** A request that was found right, and its entry in a log, if it is kept. */
  private record Planned(PredictPlan plan, RequestLogs.@Nullable Entry log) {}

  private static void keep(RequestLogs.@Nullable Entry log, Buffer answer) {
    if (log != null) {
      log.answered(answer.getBytes());
    }
  }

  private Planned plan(Exchange call, Body message) {
    PredictRequestView query = PredictRequestView.read(message);
    String model = query.model().selector().name();
    call.measure(Api.TFS_PREDICT, model);
    PredictPlan plan = PredictPlan.make(query, data, call.caller(), settings);
    return new Planned(plan, settings.log(RequestLogs.Kind.PREDICT, model, message));
  }

  private static Future<InferenceRequest> decode(Exchange exchange, PredictPlan plan) {
    return exchange.decode(
        plan.byteSize(),
        plan.model(),
        () -> plan.decode(exchange.deadline(), exchange.requestId()));
  }

  private Buffer encode(InferenceResponse response) {
    return PredictResponseWriter.write(response, settings);
  }
}
