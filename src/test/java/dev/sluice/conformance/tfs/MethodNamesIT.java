package dev.sluice.conformance.tfs;

import dev.sluice.testing.ConformanceCase;
import dev.sluice.testing.GrpcCase;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Signatures that may only be called as their method names say. */
class MethodNamesIT {
  @TempDir private static Path models;

  private static RunningServer server;
  private static HttpCaller caller;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() throws IOException {
    for (String model : List.of("half_plus_two", "half_plus_two_tf2")) {
      TestModels.copy(TestModels.savedModel(model, "00000123"), models.resolve(model).resolve("1"));
      Files.writeString(models.resolve(model + "/model.yml"), "tensorflow: { method_names: true }");
    }
    server = RunningServer.start(models);
    caller = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    caller.close();
    server.close();
  }

  static List<ConformanceCase> cases() {
    return ConformanceCase.of("tfs/method-names");
  }

  static List<GrpcCase> calls() {
    return GrpcCase.of("tfs/grpc-method-names");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void restAnswersAsWithTheCheck(ConformanceCase each) {
    each.replay(caller);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("calls")
  void grpcAnswersAsWithTheCheck(GrpcCase each) {
    each.replay(channel);
  }
}
