package dev.sluice.protocol.oip.grpc;

import dev.sluice.protocol.oip.grpc.proto.InferBatchStatistics;
import dev.sluice.protocol.oip.grpc.proto.InferResponseStatistics;
import dev.sluice.protocol.oip.grpc.proto.InferStatistics;
import dev.sluice.protocol.oip.grpc.proto.ModelStatisticsResponse;
import dev.sluice.protocol.oip.grpc.proto.StatisticDuration;
import dev.sluice.telemetry.meter.ModelStatistics;
import dev.sluice.telemetry.meter.ModelStatistics.BatchTimes;
import dev.sluice.telemetry.meter.ModelStatistics.RequestTimes;
import dev.sluice.telemetry.meter.ModelStatistics.ResponseTimes;
import dev.sluice.telemetry.meter.ModelStatistics.Times;
import java.util.List;

/** Turns statistics into messages. */
final class StatisticsMessages {
  private StatisticsMessages() {}

  static ModelStatisticsResponse of(List<ModelStatistics> models) {
    var response = ModelStatisticsResponse.newBuilder();
    models.forEach(model -> response.addModelStats(model(model)));
    return response.build();
  }

  private static dev.sluice.protocol.oip.grpc.proto.ModelStatistics model(ModelStatistics model) {
    var message =
        dev.sluice.protocol.oip.grpc.proto.ModelStatistics.newBuilder()
            .setName(model.model().name())
            .setVersion(Long.toString(model.model().version()))
            .setLastInference(model.lastInferenceMillis())
            .setInferenceCount(model.inferenceCount())
            .setExecutionCount(model.executionCount())
            .setInferenceStats(requests(model.requests()));
    model.batches().forEach(batch -> message.addBatchStats(batch(batch)));
    for (int i = 0; i < model.responses().size(); i++) {
      message.putResponseStats(Integer.toString(i), responses(model.responses().get(i)));
    }
    return message.build();
  }

  private static InferStatistics requests(RequestTimes requests) {
    return InferStatistics.newBuilder()
        .setSuccess(times(requests.success()))
        .setFail(times(requests.fail()))
        .setQueue(times(requests.queue()))
        .setComputeInput(times(requests.computeInput()))
        .setComputeInfer(times(requests.computeInfer()))
        .setComputeOutput(times(requests.computeOutput()))
        .setCacheHit(times(requests.cacheHit()))
        .setCacheMiss(times(requests.cacheMiss()))
        .build();
  }

  private static InferBatchStatistics batch(BatchTimes batch) {
    return InferBatchStatistics.newBuilder()
        .setBatchSize(batch.size())
        .setComputeInput(times(batch.computeInput()))
        .setComputeInfer(times(batch.computeInfer()))
        .setComputeOutput(times(batch.computeOutput()))
        .build();
  }

  private static InferResponseStatistics responses(ResponseTimes responses) {
    return InferResponseStatistics.newBuilder()
        .setComputeInfer(times(responses.computeInfer()))
        .setComputeOutput(times(responses.computeOutput()))
        .setSuccess(times(responses.success()))
        .setFail(times(responses.fail()))
        .setEmptyResponse(times(responses.empty()))
        .setCancel(times(responses.cancel()))
        .build();
  }

  private static StatisticDuration times(Times times) {
    return StatisticDuration.newBuilder().setCount(times.count()).setNs(times.nanos()).build();
  }
}
