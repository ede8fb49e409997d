package dev.sluice.protocol.oip.grpc;

import dev.sluice.benchmark.ServedForBenchmark;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.loadtest.row.Requests;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.testing.FakeExchange;
import dev.sluice.testing.OipServers;
import dev.sluice.transport.Body;
import io.vertx.core.buffer.Buffer;
import java.util.Map;
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

/** V2 over gRPC with raw tensors: 128 floats in, ten out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class V2GrpcBenchmark {
  private final ServedForBenchmark served = new ServedForBenchmark(128);
  private final OipServer server = OipServers.of(served.planes(), System::nanoTime);
  private final Body message =
      Body.of(Requests.unframed(Requests.grpc(ServedForBenchmark.MODEL, 1, 128).body()));
  private final InferenceResponse answer = served.answer(1);

  @TearDown
  public void close() {
    answer.close();
  }

  @Benchmark
  public void decode() {
    InferRequestReader.decode(server, message, new FakeExchange(), Map.of(), null)
        .request()
        .close();
  }

  @Benchmark
  public Buffer encode() {
    return InferResponseWriter.encode(answer, "", Map.of());
  }
}
