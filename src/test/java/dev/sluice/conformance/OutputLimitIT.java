package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.SluiceConfigReader;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.PredictClient;
import dev.sluice.testing.PredictClient.Protocol;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SavedModelWriter;
import java.io.IOException;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server whose outputs may have 4,000 bytes: 1,000 floats. */
@Timeout(60)
class OutputLimitIT {
  private static final List<String> MODELS = List.of("wide", "joined", "chain", "saved");

  @TempDir private static Path models;
  private static RunningServer server;
  private static PredictClient client;

  @BeforeAll
  static void start() throws IOException {
    twice("wide", "");
    twice("joined", "max_batch_size: 1000\nmax_queue_delay: 5ms\n");
    model("chain", "ensemble: { steps: [{ model: wide, inputs: { x: x }, outputs: { y: y } }] }\n");
    new SavedModelWriter()
        .input("x", 2)
        .identity("y", "x")
        .output("y", 2)
        .writeTo(model("saved", ""));
    Path settings = models.resolve("sluice.yml");
    Files.writeString(
        settings,
        """
        listeners: [{ address: "localhost:0" }]
        models: { directory: "%s" }
        limits: { max_output_size: 4000 }
        """
            .formatted(models));
    server =
        RunningServer.start(
            new SluiceConfigReader(_ -> {}).read(Optional.of(settings), Map.of(), List.of()));
    client = new PredictClient(server);
  }

  private static void twice(String name, String settings) throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "rows", "2")
        .output("y", OnnxModelWriter.FLOAT, "rows", "2")
        .node("Relu", "y", "x")
        .writeTo(model(name, settings));
  }

  private static Path model(String name, String settings) throws IOException {
    Path version = Files.createDirectories(models.resolve(name).resolve("1"));
    Files.writeString(models.resolve(name).resolve("model.yml"), settings);
    return version;
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  private static List<float[]> ask(Protocol protocol, String model, int rows) throws Exception {
    return client.ask(protocol, model, new float[rows * 2], rows, 2);
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void aLargerOutputIsRefusedByNameAndSize(Protocol protocol) throws Exception {
    for (String model : MODELS) {
      for (int i = 0; i < 3; i++) {
        assertThat(ask(protocol, model, 500).getFirst()).hasSize(1_000);
        assertThatThrownBy(() -> ask(protocol, model, 501))
            .as(model)
            .hasMessageMatching("(?s)(400|INVALID_ARGUMENT).*")
            .hasMessageContaining("output 'y' of shape [501,2] has 4008 bytes")
            .hasMessageContaining("4000 of limits.max_output_size");
      }
    }
  }

  @Test
  void requestsThatAreTooLargeOnlyTogetherAreAnswered() throws Exception {
    List<Callable<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      calls.add(() -> ask(Protocol.V2_GRPC_RAW, "joined", 300).getFirst().length);
    }
    try (var threads = Executors.newFixedThreadPool(calls.size())) {
      for (Future<Integer> length : threads.invokeAll(calls)) {
        assertThat(length.get()).isEqualTo(600);
      }
    }
  }
}
