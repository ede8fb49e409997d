package dev.sluice.protocol.oip.http.json;

import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.telemetry.meter.ModelStatistics;
import dev.sluice.telemetry.meter.ModelStatistics.BatchTimes;
import dev.sluice.telemetry.meter.ModelStatistics.RequestTimes;
import dev.sluice.telemetry.meter.ModelStatistics.ResponseTimes;
import dev.sluice.telemetry.meter.ModelStatistics.Times;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** Writes the statistics extension's answer. */
public final class StatisticsJson {
  private final JsonWriter out = new JsonWriter(1024);

  private StatisticsJson() {}

  /** Writes the statistics of models. */
  public static Buffer of(List<ModelStatistics> models) {
    var json = new StatisticsJson();
    json.out.raw("{\"model_stats\":[");
    for (int i = 0; i < models.size(); i++) {
      json.out.raw(i == 0 ? "" : ",");
      json.model(models.get(i));
    }
    return json.out.raw("]}").toBuffer();
  }

  private void model(ModelStatistics model) {
    out.raw("{\"name\":").string(model.model().name());
    out.raw(",\"version\":").string(Long.toString(model.model().version()));
    number("last_inference", model.lastInferenceMillis());
    number("inference_count", model.inferenceCount());
    number("execution_count", model.executionCount());
    out.raw(",\"inference_stats\":{");
    requests(model.requests());
    out.raw("},\"response_stats\":{");
    for (int i = 0; i < model.responses().size(); i++) {
      out.raw(i == 0 ? "" : ",");
      responses(i, model.responses().get(i));
    }
    out.raw("},\"batch_stats\":[");
    for (int i = 0; i < model.batches().size(); i++) {
      out.raw(i == 0 ? "" : ",");
      batch(model.batches().get(i));
    }
    out.raw("],\"memory_usage\":[]}");
  }

  private void requests(RequestTimes requests) {
    times("", "success", requests.success());
    times(",", "fail", requests.fail());
    times(",", "queue", requests.queue());
    times(",", "compute_input", requests.computeInput());
    times(",", "compute_infer", requests.computeInfer());
    times(",", "compute_output", requests.computeOutput());
    times(",", "cache_hit", requests.cacheHit());
    times(",", "cache_miss", requests.cacheMiss());
  }

  private void responses(int place, ResponseTimes responses) {
    out.key(Integer.toString(place)).raw('{');
    times("", "compute_infer", responses.computeInfer());
    times(",", "compute_output", responses.computeOutput());
    times(",", "success", responses.success());
    times(",", "fail", responses.fail());
    times(",", "empty_response", responses.empty());
    times(",", "cancel", responses.cancel());
    out.raw('}');
  }

  private void batch(BatchTimes batch) {
    out.raw("{\"batch_size\":").number(batch.size());
    times(",", "compute_input", batch.computeInput());
    times(",", "compute_infer", batch.computeInfer());
    times(",", "compute_output", batch.computeOutput());
    out.raw('}');
  }

  private void times(String comma, String key, Times times) {
    out.raw(comma).key(key).raw("{\"count\":").number(times.count());
    number("ns", times.nanos());
    out.raw('}');
  }

  private void number(String key, long value) {
    out.raw(',').key(key).number(value);
  }
}
