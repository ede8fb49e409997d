package dev.sluice.conformance.grps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage.DataOneofCase;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.EchoModels;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages without data, which a model that needs none answers. */
class EmptyPredictIT {
  private static RunningServer echo;
  private static RunningServer samples;
  private static ManagedChannel toEcho;
  private static ManagedChannel toSamples;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    echo = RunningServer.start(EchoModels.in(folder));
    samples = RunningServer.start(Path.of("src/sample/models"));
    toEcho = channel(echo);
    toSamples = channel(samples);
  }

  private static ManagedChannel channel(RunningServer server) {
    return ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void stop() {
    toEcho.shutdownNow();
    toSamples.shutdownNow();
    echo.close();
    samples.close();
  }

  private static void requireSuccessWithoutData(GrpsMessage answer) {
    assertThat(answer.getStatus().getCode()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.getStatus().getMsg()).isEqualTo("OK");
    assertThat(answer.getDataOneofCase()).isEqualTo(DataOneofCase.DATAONEOF_NOT_SET);
  }

  @Test
  void ownCodeIsAskedWithNothing() {
    requireSuccessWithoutData(
        GrpsServiceGrpc.newBlockingStub(toEcho).predict(GrpsMessage.getDefaultInstance()));
  }

  @Test
  void aStreamIsAskedForWithNothing() {
    var messages =
        GrpsServiceGrpc.newBlockingStub(toEcho).predictStreaming(GrpsMessage.getDefaultInstance());
    assertThat(messages)
        .toIterable()
        .extracting(GrpsMessage::getStrData)
        .containsExactly("stream data 1", "stream data 2");
  }

  @Test
  void brpcTakesAnEmptyBody() throws Exception {
    try (var brpc = new BrpcClient(echo.port())) {
      var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Predict", 1);
      requireSuccessWithoutData(GrpsMessage.parseFrom(brpc.ask(call, new byte[0]).message()));
    }
  }

  @Test
  void aModelWithInputsSaysWhatItWants() {
    GrpsMessage answer =
        GrpsServiceGrpc.newBlockingStub(toSamples)
            .predict(GrpsMessage.newBuilder().setModel("half_plus_two").build());
    assertThat(answer.getStatus().getCode()).isEqualTo(400);
    assertThat(answer.getStatus().getMsg())
        .contains("the message has no data", "half_plus_two, whose inputs are x");
  }
}
