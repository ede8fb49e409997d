package dev.sluice.protocol.v1.http;

import dev.sluice.benchmark.ServedForBenchmark;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelSelector;
import dev.sluice.loadtest.row.Requests;
import dev.sluice.protocol.kserve.http.EventAttributes;
import dev.sluice.protocol.kserve.http.KserveDialect;
import dev.sluice.protocol.tfs.http.TfsDialect;
import dev.sluice.testing.FakeExchange;
import dev.sluice.transport.Body;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** V1 JSON: 128 floats in, ten out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class V1JsonBenchmark {
  private final ServedForBenchmark served = new ServedForBenchmark(128);
  private final Body body = Body.of(Requests.v1(ServedForBenchmark.MODEL, 1, 128).body());
  private final ModelSelector selector = new ModelSelector.Latest(ServedForBenchmark.MODEL);
  private final FakeExchange exchange = new FakeExchange();
  private final InferenceResponse answer = served.answer(1);
  private final Predict predict =
      new Predict(
          served.planes(), List.of(new TfsDialect(), new KserveDialect(EventAttributes.DEFAULT)));

  @TearDown
  public void close() {
    answer.close();
  }

  @Benchmark
  public void decode() {
    predict.decode(body, selector, exchange, Envelope.NONE).request().close();
  }

  @Benchmark
  public Buffer encode() {
    return PredictEncoder.encode(answer, ResponseLayout.ROWS, false);
  }
}
