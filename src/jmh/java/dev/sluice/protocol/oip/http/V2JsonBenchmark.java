package dev.sluice.protocol.oip.http;

import dev.sluice.benchmark.ServedForBenchmark;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.loadtest.row.Requests;
import dev.sluice.protocol.oip.http.json.OutputForms;
import dev.sluice.transport.Body;
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

/** V2 JSON: 128 floats in and ten out, and 64 rows of 32 in and of ten out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class V2JsonBenchmark {
  private final ServedForBenchmark served = new ServedForBenchmark(128);
  private final V2Decoding decoding = new V2Decoding(served);
  private final Body body = Body.of(Requests.v2(ServedForBenchmark.MODEL, 1, 128).body());
  private final InferenceResponse answer = served.answer(1);

  private final V2Decoding rowsDecoding = new V2Decoding(new ServedForBenchmark(32));
  private final Body rowsBody = Body.of(Requests.v2(ServedForBenchmark.MODEL, 64, 32).body());
  private final InferenceResponse rowsAnswer = served.answer(64);

  private final OutputForms json = new OutputForms();

  @TearDown
  public void close() {
    answer.close();
    rowsAnswer.close();
  }

  @Benchmark
  public void decode() {
    decoding.decode(body, null).request().close();
  }

  @Benchmark
  public void decodeRows() {
    rowsDecoding.decode(rowsBody, null).request().close();
  }

  @Benchmark
  public InferEncoder.Encoded encode() {
    return InferEncoder.encode(answer, "", json);
  }

  @Benchmark
  public InferEncoder.Encoded encodeRows() {
    return InferEncoder.encode(rowsAnswer, "", json);
  }
}
