package dev.sluice.protocol.oip.http;

import dev.sluice.benchmark.ServedForBenchmark;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.row.Requests;
import dev.sluice.protocol.oip.http.json.OutputForms;
import dev.sluice.transport.Body;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/** V2 with raw tensors: 128 floats in, ten out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class V2BinaryBenchmark {
  private final ServedForBenchmark served = new ServedForBenchmark(128);
  private final V2Decoding decoding = new V2Decoding(served);
  private final Request request = Requests.v2Binary(ServedForBenchmark.MODEL, 1, 128);
  private final Body body = Body.of(request.body());
  private final @Nullable String jsonLength =
      request.headers().get("Inference-Header-Content-Length");
  private final InferenceResponse answer = served.answer(1);
  private final OutputForms binary = new OutputForms();

  public V2BinaryBenchmark() {
    binary.add("y", true, 0);
  }

  @TearDown
  public void close() {
    answer.close();
  }

  @Benchmark
  public void decode() {
    decoding.decode(body, jsonLength).request().close();
  }

  @Benchmark
  public InferEncoder.Encoded encode() {
    return InferEncoder.encode(answer, "", binary);
  }
}
