package dev.sluice.conformance.tfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.GrpcCase;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded call of TensorFlow Serving's two services, by another library's client. */
class GrpcConformanceIT {
  private static RunningServer savedModels;
  private static RunningServer tabular;
  private static ManagedChannel savedModelChannel;
  private static ManagedChannel tabularChannel;

  @BeforeAll
  static void start() {
    savedModels = RunningServer.start(TestModels.savedModel("", ""));
    tabular = RunningServer.start(TestModels.tabular());
    savedModelChannel = channel(savedModels);
    tabularChannel = channel(tabular);
  }

  private static ManagedChannel channel(RunningServer server) {
    return ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    for (ManagedChannel channel : List.of(savedModelChannel, tabularChannel)) {
      channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }
    savedModels.close();
    tabular.close();
  }

  static List<GrpcCase> savedModelCases() {
    return GrpcCase.of("tfs/grpc");
  }

  static List<GrpcCase> tabularCases() {
    return GrpcCase.of("tfs/grpc-tabular");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("savedModelCases")
  void savedModelsAnswerAsRecorded(GrpcCase each) {
    replay(each, savedModelChannel);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tabularCases")
  void onnxModelsAnswerAsTheyAreMade(GrpcCase each) {
    replay(each, tabularChannel);
  }

  private static void replay(GrpcCase each, ManagedChannel channel) {
    long blocks = TensorMemory.openBlocks();
    each.replay(channel);
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocks);
  }
}
