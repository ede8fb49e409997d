package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.ByteString;
import dev.sluice.benchmark.ServedForBenchmark;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.DeclaredModel;
import dev.sluice.transport.Body;
import io.vertx.core.buffer.Buffer;
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

/** Predict of TensorFlow Serving: 128 floats or 1,000 integers in, ten floats out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class TfsGrpcBenchmark {
  private static final int FLOATS = 128;
  private static final int INTEGERS = 1_000;

  private final DeclaredModel floats =
      DeclaredModel.of(
          new TensorSpec("x", dev.sluice.tensor.DataType.FP32, Shape.of(Shape.ANY, FLOATS)));
  private final DeclaredModel integers =
      DeclaredModel.of(
          new TensorSpec("x", dev.sluice.tensor.DataType.INT64, Shape.of(Shape.ANY, INTEGERS)));
  private final Body content = message(tensor(FLOATS, DataType.DT_FLOAT).setTensorContent(raw()));
  private final Body values = message(integers());
  private final InferenceResponse answer = new ServedForBenchmark(FLOATS).answer(1);

  @TearDown
  public void close() {
    answer.close();
  }

  private static ByteString raw() {
    return ByteString.copyFrom(new byte[FLOATS * Float.BYTES]);
  }

  private static TensorProto.Builder integers() {
    TensorProto.Builder tensor = tensor(INTEGERS, DataType.DT_INT64);
    for (int i = 0; i < INTEGERS; i++) {
      tensor.addInt64Val((long) i * i * i);
    }
    return tensor;
  }

  private static TensorProto.Builder tensor(int columns, DataType type) {
    var shape =
        TensorShapeProto.newBuilder()
            .addDim(TensorShapeProto.Dim.newBuilder().setSize(1))
            .addDim(TensorShapeProto.Dim.newBuilder().setSize(columns));
    return TensorProto.newBuilder().setDtype(type).setTensorShape(shape);
  }

  private static Body message(TensorProto.Builder tensor) {
    return Body.of(
        PredictRequest.newBuilder()
            .setModelSpec(ModelSpec.newBuilder().setName("declared"))
            .putInputs("x", tensor.build())
            .build()
            .toByteArray());
  }

  @Benchmark
  public void decodeContent() {
    decode(content, floats);
  }

  @Benchmark
  public void decodeIntegers() {
    decode(values, integers);
  }

  private static void decode(Body message, DeclaredModel model) {
    PredictPlan.of(PredictRequestView.read(message), model, PredictSettings.DEFAULT)
        .decode(Deadline.NONE, "")
        .close();
  }

  @Benchmark
  public Buffer encode() {
    return PredictResponseWriter.write(answer, PredictSettings.DEFAULT);
  }
}
