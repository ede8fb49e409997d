package dev.sluice.protocol.tfs;

import com.google.protobuf.ByteString;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.tfs.grpc.proto.BytesList;
import dev.sluice.protocol.tfs.grpc.proto.Example;
import dev.sluice.protocol.tfs.grpc.proto.Feature;
import dev.sluice.protocol.tfs.grpc.proto.Features;
import dev.sluice.protocol.tfs.grpc.proto.FloatList;
import dev.sluice.protocol.tfs.grpc.proto.Int64List;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.Tensors;
import java.util.Arrays;
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

/** A hundred tf.Examples of ten floats, ten integers and a text each, into three columns. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class ExamplesBenchmark {
  private static final int EXAMPLES = 100;

  private final Signature signature =
      new Signature(
          "",
          "",
          List.of(
              new TensorSpec("f", DataType.FP32, Shape.of(Shape.ANY, 10)),
              new TensorSpec("n", DataType.INT64, Shape.of(Shape.ANY, 10)),
              new TensorSpec("t", DataType.BYTES, Shape.of(Shape.ANY, 1))),
          List.of());
  private final Tensor examples = Tensors.bytes(Shape.of(EXAMPLES), serialized());

  @TearDown
  public void close() {
    examples.close();
  }

  private static byte[][] serialized() {
    var floats = FloatList.newBuilder();
    var integers = Int64List.newBuilder();
    for (int i = 0; i < 10; i++) {
      floats.addValue(i / 8f);
      integers.addValue((long) i * 100_000);
    }
    var text = BytesList.newBuilder().addValue(ByteString.copyFromUtf8("a text"));
    var features =
        Features.newBuilder()
            .putFeature("f", Feature.newBuilder().setFloatList(floats).build())
            .putFeature("n", Feature.newBuilder().setInt64List(integers).build())
            .putFeature("t", Feature.newBuilder().setBytesList(text).build());
    var all = new byte[EXAMPLES][];
    Arrays.fill(all, Example.newBuilder().setFeatures(features).build().toByteArray());
    return all;
  }

  @Benchmark
  public void decode() {
    NamedTensor.closeAll(FeatureColumns.read(signature, examples));
  }
}
