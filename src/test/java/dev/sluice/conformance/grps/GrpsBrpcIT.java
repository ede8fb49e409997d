package dev.sluice.conformance.grps;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.protocol.grps.grpc.proto.DataType;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.BrpcClient.Answer;
import dev.sluice.testing.BrpcClient.Call;
import dev.sluice.testing.Mutations;
import dev.sluice.testing.RunningServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The brpc door, on the port that speaks everything else too. */
class GrpsBrpcIT {
  private static final String SERVICE = "grps.protos.v1.GrpsBrpcService";
  private static final GrpsMessage EMPTY = GrpsMessage.getDefaultInstance();
  private static final int MALFORMED = 1_000;
  private static final int ROUNDS = 200;
  private static final int PIPELINED = 50;

  private static RunningServer server;
  private BrpcClient client;
  private long id;

  @BeforeAll
  static void start() {
    server = RunningServer.start(Path.of("src/sample/models"));
  }

  @AfterAll
  static void stop() {
    server.close();
    assertThat(TensorMemory.openBlocks()).isZero();
  }

  @BeforeEach
  void connect() throws IOException {
    client = new BrpcClient(server.port());
  }

  @AfterEach
  void disconnect() throws IOException {
    client.close();
  }

  private GrpsMessage ask(String method, GrpsMessage message) throws IOException {
    Answer answer = client.ask(new Call(SERVICE, method, ++id), message.toByteArray());
    assertThat(answer.errorText()).isEmpty();
    assertThat(answer.errorCode()).isZero();
    assertThat(answer.correlationId()).isEqualTo(id);
    return GrpsMessage.parseFrom(answer.message());
  }

  private static GrpsMessage text(String model, String text) {
    return GrpsMessage.newBuilder().setModel(model).setStrData(text).build();
  }

  private static GrpsMessage numbers(float... numbers) {
    var tensor = GenericTensor.newBuilder().setName("x").addShape(numbers.length);
    tensor.setDtype(DataType.DT_FLOAT32);
    for (float number : numbers) {
      tensor.addFlatFloat32(number);
    }
    return GrpsMessage.newBuilder()
        .setModel("half_plus_two")
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
        .build();
  }

  @Test
  void readinessIsTheOnlineFlagOfAllEndpoints() throws IOException {
    assertThat(ask("CheckLiveness", EMPTY).getStatus().getCode()).isEqualTo(200);
    assertThat(ask("Online", EMPTY).getStatus().getCode()).isEqualTo(200);
    assertThat(ask("CheckReadiness", EMPTY).getStatus().getCode()).isEqualTo(200);
    assertThat(server.control().online()).isTrue();
    assertThat(ask("Offline", EMPTY).getStatus().getCode()).isEqualTo(200);
    assertThat(ask("CheckReadiness", EMPTY).getStatus().getCode()).isEqualTo(503);
    assertThat(server.control().online()).isFalse();
  }

  @Test
  void metadataIsYamlText() throws IOException {
    assertThat(ask("ServerMetadata", EMPTY).getStrData()).contains("name: digits");
    assertThat(ask("ModelMetadata", text("", "digits")).getStrData()).contains("DT_FLOAT32");
    assertThat(ask("ModelMetadata", text("", "nope")).getStatus().getCode()).isEqualTo(404);
  }

  @Test
  void predictionsAreThoseOfTheOtherEndpoints() throws IOException {
    assertThat(ask("Predict", text("language-1.0.0", "where is the station")).getStrData())
        .isEqualTo("English");
    GrpsMessage answer = ask("Predict", numbers(1, 2, 5));
    assertThat(answer.getGtensors().getTensors(0).getFlatFloat32List())
        .containsExactly(2.5f, 3f, 4.5f);
  }

  @Test
  void aFailureIsAnAnswerWithACode() throws IOException {
    GrpsMessage answer = ask("Predict", text("nope", "a"));
    assertThat(answer.getStatus().getCode()).isEqualTo(500);
    assertThat(answer.getStatus().getMsg()).contains("Not found model: nope");
    assertThat(ask("Predict", text("digits", "a")).getStatus().getCode()).isEqualTo(400);
  }

  @Test
  void compressedMessagesAreUnderstood() throws IOException {
    var zipped = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(zipped)) {
      gzip.write(numbers(2).toByteArray());
    }
    Answer answer = client.ask(new Call(SERVICE, "Predict", 1).compressed(2), zipped.toByteArray());
    assertThat(GrpsMessage.parseFrom(answer.message()).getGtensors().getTensors(0))
        .isEqualTo(ask("Predict", numbers(2)).getGtensors().getTensors(0));
  }

  @Test
  void predictByHttpIsForHttp() throws IOException {
    Answer answer = client.ask(new Call(SERVICE, "PredictByHttp", 1), new byte[0]);
    assertThat(answer.errorCode()).isEqualTo(1002);
  }

  @Test
  void bytesThatAreNoMessageFailTheCall() throws IOException {
    Answer answer = client.ask(new Call(SERVICE, "Predict", 1), new byte[] {0x2A, 0x7F});
    assertThat(answer.errorCode()).isEqualTo(1003);
    assertThat(answer.errorText()).contains("not a GrpsMessage");
  }

  @Test
  void aCallWhoseTimeHasPassedIsNotRun() throws Exception {
    List<Answer> answers = new java.util.ArrayList<>();
    // So many at once wait for longer than a millisecond.
    for (int i = 0; i < ROUNDS && answers.isEmpty(); i++) {
      for (int j = 0; j < PIPELINED; j++) {
        client.send(new Call(SERVICE, "Predict", j).within(1).frame(numbers(1, 2).toByteArray()));
      }
      for (int j = 0; j < PIPELINED; j++) {
        Answer answer = client.answer();
        if (answer.errorCode() != 0) {
          answers.add(answer);
        }
      }
    }
    assertThat(answers).isNotEmpty();
    assertThat(answers).allSatisfy(answer -> assertThat(answer.errorCode()).isEqualTo(1008));
  }

  @Test
  void everyCallOfManyAtOnceGetsItsOwnAnswer() throws IOException {
    Map<Long, Float> wanted = new HashMap<>();
    for (long call = 0; call < PIPELINED; call++) {
      wanted.put(call, call * 0.5f + 2);
      client.send(new Call(SERVICE, "Predict", call).frame(numbers((float) call).toByteArray()));
    }
    Map<Long, Float> got = new HashMap<>();
    for (int i = 0; i < PIPELINED; i++) {
      Answer answer = client.answer();
      GenericTensor tensor = GrpsMessage.parseFrom(answer.message()).getGtensors().getTensors(0);
      got.put(answer.correlationId(), tensor.getFlatFloat32(0));
    }
    assertThat(got).isEqualTo(wanted);
  }

  @Test
  void aThousandMalformedMessagesAreTheCallersFaultAndLeaveNothingBehind() throws IOException {
    long before = TensorMemory.openBlocks();
    var mutations = new Mutations(5);
    for (int i = 0; i < MALFORMED; i++) {
      byte[] damaged = mutations.damage(numbers(1, 2, 3).toByteArray());
      Answer answer = client.ask(new Call(SERVICE, "Predict", i), damaged);
      assertThat(code(answer)).isIn(0, 1003, 200, 400, 500);
      assertThat(answer.errorText()).isNotEqualTo("internal error");
    }
    assertThat(ask("Predict", numbers(1)).getStatus().getCode()).isEqualTo(200);
    assertThat(TensorMemory.openBlocks()).isEqualTo(before);
  }

  private static int code(Answer answer) throws InvalidProtocolBufferException {
    return answer.errorCode() != 0
        ? answer.errorCode()
        : GrpsMessage.parseFrom(answer.message()).getStatus().getCode();
  }

  @Test
  void aThousandMalformedFramesLeaveNothingBehind() throws IOException {
    var mutations = new Mutations(6);
    byte[] sound = new Call(SERVICE, "Predict", 1).frame(numbers(1, 2, 3).toByteArray());
    for (int i = 0; i < MALFORMED; i++) {
      try (BrpcClient one = new BrpcClient(server.port())) {
        one.send(mutations.damage(sound));
      }
    }
    assertThat(ask("Predict", numbers(1)).getStatus().getCode()).isEqualTo(200);
    // Requests of those who have left may still wait to be dropped: stop() looks for what is left.
  }
}
