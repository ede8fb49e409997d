package dev.sluice.protocol.codec;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A list of 512 token numbers in JSON, read one by one and in a row. Lists differ, since a
 * processor soon knows one by heart.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class IntegerListBenchmark {
  private static final int LISTS = 128;
  private static final int LENGTH = 512;
  private static final int VOCABULARY = 50_000;

  private final Body[] lists = new Body[LISTS];
  private final JsonElements elements = JsonElements.of(DataType.INT64);
  private int next;

  public IntegerListBenchmark() {
    var random = new Random(1);
    for (int i = 0; i < LISTS; i++) {
      String list =
          random
              .ints(LENGTH, 0, VOCABULARY)
              .mapToObj(Integer::toString)
              .collect(Collectors.joining(",", "[", "]"));
      lists[i] = Body.of(list.getBytes(US_ASCII));
    }
  }

  @Benchmark
  public long oneByOne() {
    return read(false);
  }

  @Benchmark
  public long inARow() {
    return read(true);
  }

  private long read(boolean inARow) {
    next = (next + 1) % LISTS;
    var in = new JsonCursor(lists[next]);
    try (var out = new TensorBuilder(DataType.INT64, 8L * LENGTH)) {
      in.beginArray();
      while (in.nextElement()) {
        if (!inARow || elements.readRun(in, out, LENGTH) == 0) {
          elements.read(in, out);
        }
      }
      return out.elements();
    }
  }
}
