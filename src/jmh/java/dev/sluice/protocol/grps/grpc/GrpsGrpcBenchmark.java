package dev.sluice.protocol.grps.grpc;

import dev.sluice.benchmark.ServedForBenchmark;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.protocol.grps.grpc.proto.DataType;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.tensor.NamedTensor;
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

/** Predict of grps over gRPC: 128 floats or 1,000 integers in, ten floats out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class GrpsGrpcBenchmark {
  private static final int FLOATS = 128;
  private static final int INTEGERS = 1_000;

  private final DeclaredModel floats =
      DeclaredModel.of(
          new TensorSpec("x", dev.sluice.tensor.DataType.FP32, Shape.of(Shape.ANY, FLOATS)));
  private final DeclaredModel integers =
      DeclaredModel.of(
          new TensorSpec("x", dev.sluice.tensor.DataType.INT64, Shape.of(Shape.ANY, INTEGERS)));
  private final Body floatMessage = message(floats());
  private final Body integerMessage = message(integers());
  private final InferenceResponse answer = new ServedForBenchmark(FLOATS).answer(1);

  @TearDown
  public void close() {
    answer.close();
  }

  private static GenericTensor.Builder floats() {
    GenericTensor.Builder tensor = tensor(FLOATS, DataType.DT_FLOAT32);
    for (int i = 0; i < FLOATS; i++) {
      tensor.addFlatFloat32(i / 8f);
    }
    return tensor;
  }

  private static GenericTensor.Builder integers() {
    GenericTensor.Builder tensor = tensor(INTEGERS, DataType.DT_INT64);
    for (int i = 0; i < INTEGERS; i++) {
      tensor.addFlatInt64((long) i * i * i);
    }
    return tensor;
  }

  private static GenericTensor.Builder tensor(int columns, DataType type) {
    return GenericTensor.newBuilder().setName("x").setDtype(type).addShape(1).addShape(columns);
  }

  private static Body message(GenericTensor.Builder tensor) {
    return Body.of(
        GrpsMessage.newBuilder()
            .setModel("declared")
            .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
            .build()
            .toByteArray());
  }

  @Benchmark
  public void decodeFloats() throws Exception {
    decode(floatMessage, floats);
  }

  @Benchmark
  public void decodeIntegers() throws Exception {
    decode(integerMessage, integers);
  }

  private static void decode(Body body, DeclaredModel model) throws Exception {
    WireMessage message = WireMessage.scan(body);
    try (var inputs = new RequestInputs(model)) {
      message.decode(inputs);
      NamedTensor.closeAll(inputs.take());
    }
  }

  @Benchmark
  public Buffer encode() {
    return GrpsMessageWriter.write(DataForm.TENSORS, answer);
  }
}
