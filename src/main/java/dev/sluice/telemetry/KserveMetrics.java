package dev.sluice.telemetry;

import dev.sluice.telemetry.exposition.MetricNames;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.exposition.MetricsPage.Family;
import dev.sluice.telemetry.exposition.MetricsPage.Kind;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.Buckets;
import dev.sluice.telemetry.meter.CallMeter;
import dev.sluice.telemetry.meter.Distribution;
import dev.sluice.telemetry.meter.ModelMeter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * The metrics of KServe's runtimes, by their names: of calls by V1 and the Open Inference Protocol.
 * Decoding is what they call preprocessing, encoding is postprocessing.
 *
 * @param telemetry what is shown
 */
record KserveMetrics(Telemetry telemetry) implements MetricSource {
  private static final double SECONDS = 1e9;
  private static final List<Api> EXPLAINING = List.of(Api.V1_EXPLAIN);
  private static final List<Api> PREDICTING =
      List.of(Api.V1_PREDICT, Api.OIP_INFER, Api.OIP_STREAM, Api.OIP_GENERATE);

  @Override
  public MetricNames names() {
    return MetricNames.KSERVE;
  }

  @Override
  public void write(MetricsPage page) {
    Collection<ModelMeter> models = telemetry.models();
    write(page, models, "preprocess", "Decoding requests.", PREDICTING, CallMeter::decoding);
    write(page, models, "predict", "Asking the model.", PREDICTING, CallMeter::asking);
    write(page, models, "postprocess", "Encoding answers.", PREDICTING, CallMeter::encoding);
    write(page, models, "explain", "Explaining.", EXPLAINING, CallMeter::whole);
  }

  private static void write(
      MetricsPage page,
      Collection<ModelMeter> models,
      String step,
      String help,
      List<Api> apis,
      Function<CallMeter, Distribution> times) {
    Family family = page.family("request_" + step + "_seconds", Kind.HISTOGRAM, help);
    for (ModelMeter model : models) {
      List<Distribution> parts = new ArrayList<>();
      ApiCalls.of(model, apis).forEach(calls -> parts.add(times.apply(calls.meter())));
      if (!parts.isEmpty()) {
        family.add(parts, Buckets.LATENCY, SECONDS, "model_name", model.model());
      }
    }
  }
}
