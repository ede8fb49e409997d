package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfigReader;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests to models that make more of little, on a server with a budget of 16 MiB. */
@Timeout(60)
class MemoryBudgetIT {
  @TempDir static Path folder;
  private static RunningServer server;
  private static HttpCaller http;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() throws IOException {
    OnnxModelWriter.twice().writeTo(Files.createDirectories(folder.resolve("models/twice/1")));
    TestModels.copy(Path.of("src/sample/models/writer"), folder.resolve("models/writer"));
    Path settings = folder.resolve("sluice.yml");
    Files.writeString(
        settings,
        """
        listeners: [{ address: "localhost:0" }]
        models: { directory: "%s" }
        limits: { memory: 16MiB }
        """
            .formatted(folder.resolve("models")));
    server =
        RunningServer.start(
            new SluiceConfigReader(_ -> {}).read(Optional.of(settings), Map.of(), List.of()));
    http = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    http.close();
    server.close();
  }

  private static void theFriendIsAnswered() {
    var answer =
        http.send("POST", "/v1/models/twice:predict", Buffer.buffer("{\"instances\":[[1.0,2.0]]}"));
    assertThat(answer.status()).isEqualTo(200);
  }

  /** A tensor of so many elements of which the message has one, which is then repeated. */
  private static byte[] filled(long elements) {
    var shape = TensorShapeProto.newBuilder();
    shape.addDimBuilder().setSize(elements / 2);
    shape.addDimBuilder().setSize(2);
    return PredictRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName("twice"))
        .putInputs(
            "x",
            TensorProto.newBuilder()
                .setDtype(DataType.DT_FLOAT)
                .setTensorShape(shape)
                .addFloatVal(1)
                .build())
        .build()
        .toByteArray();
  }

  private static Status.Code code(byte[] message) {
    try {
      RawCalls.send(channel, "tensorflow.serving.PredictionService/Predict", message);
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getDescription()).contains("limits.memory");
      return e.getStatus().getCode();
    }
  }

  @Test
  void hugeShapesWithOneValueAreRefusedBeforeMemoryIsMade() throws Exception {
    List<Callable<Status.Code>> calls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      calls.add(() -> code(filled(15_000_000)));
    }
    try (var clients = Executors.newFixedThreadPool(calls.size())) {
      for (Future<Status.Code> code : clients.invokeAll(calls)) {
        assertThat(code.get()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        theFriendIsAnswered();
      }
    }
    assertThat(code(filled(100_000))).isEqualTo(Status.Code.OK);
  }

  @Test
  void anAnswerInJsonIsRefusedBeforeItIsEncodedIfThereIsNoMemoryForIt() {
    int floats = 1_500_000;
    byte[] raw = new byte[floats * Float.BYTES];
    String head =
        "{\"inputs\":[{\"name\":\"x\",\"shape\":[%d,2],\"datatype\":\"FP32\",\"parameters\":{\"binary_data_size\":%d}}]}"
            .formatted(floats / 2, raw.length);
    var headers =
        MultiMap.caseInsensitiveMultiMap()
            .add("Inference-Header-Content-Length", Integer.toString(head.length()));
    var answer =
        http.send("POST", "/v2/models/twice/infer", headers, Buffer.buffer(head).appendBytes(raw));
    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.headers().get("retry-after")).isEqualTo("1");
    assertThat(answer.text()).contains("limits.memory");
    theFriendIsAnswered();
  }

  /** Each keeps 390 KB from step to step for as long as its client takes its time. */
  @Test
  void streamsThatNobodyReadsLeaveAPartOfTheBudgetToOthers() throws IOException {
    byte[] ask =
        ("POST /v2/models/writer/generate_stream HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Length: 23\r\n\r\n{\"text\":\"My dear Mr. \"}")
            .getBytes(StandardCharsets.US_ASCII);
    List<Socket> readers = new ArrayList<>();
    try {
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        var reader = new Socket();
        readers.add(reader);
        reader.setReceiveBufferSize(1024);
        reader.connect(new InetSocketAddress("localhost", server.port()));
        reader.getOutputStream().write(ask);
        // One after the other: of those that come together, too many may be refused together.
        byte[] line = reader.getInputStream().readNBytes("HTTP/1.1 200".length());
        statuses.add(Integer.parseInt(new String(line, StandardCharsets.US_ASCII).substring(9)));
      }
      assertThat(statuses).contains(200, 429).containsOnly(200, 429);
      assertThat(http.send("GET", "/metrics", Buffer.buffer()).status()).isEqualTo(200);
      theFriendIsAnswered();
    } finally {
      for (Socket reader : readers) {
        reader.close();
      }
    }
  }

  @Test
  void theMetricsShowTheBudgetAndWhatWasRefused() {
    assertThat(code(filled(15_000_000))).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    String page = http.send("GET", "/metrics", Buffer.buffer()).text();
    assertThat(page)
        .contains("sluice_memory_limit_bytes " + (double) (16 << 20))
        .contains("sluice_memory_used_bytes{kind=\"body\"} 0")
        .contains("sluice_memory_used_bytes{kind=\"inflated\"} 0")
        .containsPattern("sluice_memory_refused_total [1-9]");
  }
}
