package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RecycledBlocks;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Outputs of other forms than their inputs, over memory that others have filled: fewer rows or
 * none, operators whose other outputs nothing asks for, and runs beside those that fail.
 */
@Timeout(120)
class IsolationFormsIT {
  private static final int REQUESTS = 60;
  private static final int WIDTH = 4;

  @TempDir private static Path models;
  private static RunningServer server;
  private static ManagedChannel channel;
  private static GRPCInferenceServiceBlockingStub stub;

  @BeforeAll
  static void start() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "rows", "4")
        .input("keep", OnnxModelWriter.BOOL, "rows")
        .output("some", OnnxModelWriter.FLOAT, "kept", "4")
        .output("all", OnnxModelWriter.FLOAT, "rows", "4")
        .nodeAlong(0, "Compress", "some", "x", "keep")
        .node("", "Dropout", Map.of(), List.of("all", ""), "x")
        .writeTo(folder("some"));
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "steps", "1", "4")
        .output("last", OnnxModelWriter.FLOAT, "1", "1", "1")
        .matrix("w", 1, WIDTH, 0, 0, 0, 0)
        .matrix("r", 1, 1, 0)
        .integers("first", 0)
        .node("Unsqueeze", "w3", "w", "first")
        .node("Unsqueeze", "r3", "r", "first")
        .node("", "RNN", Map.of("hidden_size", 1L), List.of("", "last"), "x", "w3", "r3")
        .writeTo(folder("last"));
    new OnnxModelWriter()
        .input("n", OnnxModelWriter.INT64, "1")
        .output("zeros", OnnxModelWriter.FLOAT, "size")
        .node("ConstantOfShape", "zeros", "n")
        .writeTo(folder("zeros"));
    server = RunningServer.start(models);
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    assertThat(server.control().ready()).isTrue();
  }

  private static Path folder(String name) throws IOException {
    return Files.createDirectories(models.resolve(name).resolve("1"));
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    server.close();
  }

  private static ModelInferRequest.Builder request(String model) {
    RecycledBlocks.fill();
    return ModelInferRequest.newBuilder().setModelName(model);
  }

  private static void input(
      ModelInferRequest.Builder request, String name, String type, byte[] raw, long... shape) {
    var input = request.addInputsBuilder().setName(name).setDatatype(type);
    for (long dim : shape) {
      input.addShape(dim);
    }
    request.addRawInputContents(ByteString.copyFrom(raw));
  }

  private static byte[] bytes(float[] values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length * 4).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(values);
    return bytes.array();
  }

  private static List<Float> floats(ModelInferResponse answer, int output) {
    ByteBuffer raw =
        answer.getRawOutputContents(output).asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    List<Float> floats = new ArrayList<>();
    while (raw.hasRemaining()) {
      floats.add(raw.getFloat());
    }
    return floats;
  }

  @Test
  void fewerRowsOrNoneAreThoseOfTheRequest() {
    var random = new Random(5);
    for (int i = 0; i < REQUESTS; i++) {
      int rows = 1 + i % 7;
      float[] x = new float[rows * WIDTH];
      byte[] keep = new byte[rows];
      List<Float> kept = new ArrayList<>();
      List<Float> all = new ArrayList<>();
      for (int row = 0; row < rows; row++) {
        keep[row] = (byte) (i % 3 == 0 ? 0 : random.nextInt(2));
        for (int column = 0; column < WIDTH; column++) {
          x[row * WIDTH + column] = 1000 * i + row * WIDTH + column + 1;
          all.add(x[row * WIDTH + column]);
        }
        if (keep[row] == 1) {
          kept.addAll(all.subList(row * WIDTH, all.size()));
        }
      }
      var request = request("some");
      input(request, "x", "FP32", bytes(x), rows, WIDTH);
      input(request, "keep", "BOOL", keep, rows);
      ModelInferResponse answer = stub.modelInfer(request.build());
      assertThat(answer.getOutputs(0).getShape(0)).isEqualTo(kept.size() / WIDTH);
      assertThat(floats(answer, 0)).isEqualTo(kept);
      assertThat(floats(answer, 1)).isEqualTo(all);
    }
  }

  @Test
  void outputOfAnOperatorWhoseFirstOutputIsNotWantedIsItsOwn() {
    for (int i = 0; i < REQUESTS; i++) {
      int steps = 1 + i % 5;
      var request = request("last");
      input(request, "x", "FP32", bytes(new float[steps * WIDTH]), steps, 1, WIDTH);
      assertThat(floats(stub.modelInfer(request.build()), 0)).containsExactly(0f);
    }
  }

  @Test
  void runsBesideThoseThatFailForTheirSizeHaveTheirOwnValues() {
    long[] wrong = {Long.MAX_VALUE / 8, 1L << 45};
    for (int i = 0; i < REQUESTS; i++) {
      if (i % 4 == 3) {
        long n = wrong[i % wrong.length];
        assertThatThrownBy(() -> zeros(n))
            .hasMessageMatching("(?s)(INVALID_ARGUMENT|RESOURCE_EXHAUSTED).*");
      }
      int size = i % 5 == 4 ? 0 : 1 + 37 * i;
      assertThat(zeros(size)).hasSize(size).allMatch(value -> value == 0);
    }
  }

  private static List<Float> zeros(long n) {
    var request = request("zeros");
    byte[] raw = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(n).array();
    input(request, "n", "INT64", raw, 1);
    return floats(stub.modelInfer(request.build()), 0);
  }

  @Test
  void bytesFewerThanTheirShapeAreRefused() {
    var request = request("some");
    input(request, "x", "FP32", new byte[15], 1, WIDTH);
    input(request, "keep", "BOOL", new byte[1], 1);
    assertThatThrownBy(() -> stub.modelInfer(request.build()))
        .hasMessageStartingWith("INVALID_ARGUMENT");
  }
}
