package dev.sluice.conformance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RawCalls;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Messages of millions of elements, each of which has two bytes on the wire and becomes objects of
 * fifty and more, are refused before these are made.
 */
@Timeout(180)
class TinyElementsIT {
  private static final int SIZE = 16 << 20;
  private static final int CALLS = 4;

  /** A ModelSpec whose name is "twice", as the first field. */
  private static final byte[] SPEC = HexFormat.of().parseHex("0a070a057477696365");

  @TempDir private static Path models;
  private static ChildServer server;
  private static ManagedChannel channel;
  private static int port;

  @BeforeAll
  static void start() throws IOException {
    OnnxModelWriter.twice().writeTo(Files.createDirectories(models.resolve("twice/1")));
    port = ChildServer.freePort();
    server = ChildServer.small(models, port);
    server.awaitModel("twice/1");
    channel = ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    server.close();
  }

  private static byte[] repeated(String head, String element) {
    byte[] one = HexFormat.of().parseHex(element);
    var message = new ByteArrayOutputStream(SIZE);
    message.writeBytes(HexFormat.of().parseHex(head));
    while (message.size() < SIZE) {
      message.writeBytes(one);
    }
    return message.toByteArray();
  }

  private static byte[] delimited(int tag, byte[] value) {
    var field = new ByteArrayOutputStream(value.length + 8);
    field.write(tag);
    for (int left = value.length; ; left >>>= 7) {
      field.write(left < 128 ? left : (left & 127) | 128);
      if (left < 128) {
        break;
      }
    }
    field.writeBytes(value);
    return field.toByteArray();
  }

  private static Status status(byte[] message, String method) {
    var calls =
        Stream.generate(() ->
                ClientCalls.futureUnaryCall(
                    channel.newCall(
                        RawCalls.unary(method),
                        CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS)),
                    message))
            .limit(CALLS)
            .toList();
    return calls.stream()
        .map(call -> {
          try {
            requireNonNull(Futures.getUnchecked(call));
            return Status.OK;
          } catch (RuntimeException e) {
            return Status.fromThrowable(e);
          }
        })
        .reduce((_, last) -> last)
        .orElseThrow();
  }

  private static void expectRefusal(byte[] message, String method) {
    assertThat(status(message, method).getCode())
        .isIn(
            Status.Code.RESOURCE_EXHAUSTED,
            Status.Code.INVALID_ARGUMENT,
            Status.Code.PERMISSION_DENIED);
    byte[] live = RawCalls.send(channel, "inference.GRPCInferenceService/ServerLive", new byte[0]);
    assertThat(live).as("%s", server.output()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "tensorflow.serving.PredictionService/Predict, 0a070a057477696365, 1200",
    "tensorflow.serving.PredictionService/Predict, 0a070a057477696365, 1a00",
    "tensorflow.serving.PredictionService/MultiInference, , 0a00",
    "tensorflow.serving.PredictionService/GetModelMetadata, 0a070a057477696365, 1200",
    "tensorflow.serving.ModelService/GetModelStatus, 0a070a057477696365, f80701",
    "inference.GRPCInferenceService/ModelInfer, 0a057477696365, 2a00",
    "inference.GRPCInferenceService/ModelReady, 0a057477696365, f80701",
    "inference.GRPCInferenceService/RepositoryModelLoad, 12057477696365, 1a00",
    "inference.GRPCInferenceService/RepositoryIndex, , f80701",
    "inference.GRPCInferenceService/TraceSetting, , 0a00",
  })
  void messageOfManyElementsIsRefused(String method, String head, String element) {
    expectRefusal(repeated(head == null ? "" : head, element), method);
  }

  @ParameterizedTest
  @CsvSource({"Classify", "Regress"})
  void manyEmptyExamplesAreRefused(String method) {
    byte[] input = delimited(0x12, delimited(0x0a, repeated("", "0a00")));
    var message = new ByteArrayOutputStream();
    message.writeBytes(SPEC);
    message.writeBytes(input);
    expectRefusal(message.toByteArray(), "tensorflow.serving.PredictionService/" + method);
  }
}
