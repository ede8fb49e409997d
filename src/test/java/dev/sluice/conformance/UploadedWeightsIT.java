package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelRepositoryParameter;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelLoadRequest;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The weights of a model that comes with a load request are its own: neither files of the server
 * nor its memory, which ONNX Runtime would read for a model that names them so.
 */
@Timeout(120)
class UploadedWeightsIT {
  private static final String SECRET = "what no caller may ever read....";
  private static final String WEIGHTS = "0123456789abcdef0123456789abcdef";

  /** The load fails; nothing is served. */
  private static final String REFUSED = "(?s)INVALID_ARGUMENT: load failed for model 'up'.*";

  @TempDir Path temp;
  private RunningServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    Files.writeString(temp.resolve("secret"), SECRET);
    server =
        RunningServer.start(
            RunningServer.settings(
                RunningServer.LISTENER,
                RepositoryConfig.of(
                        new DesiredModels(Files.createDirectory(temp.resolve("models")), Map.of()),
                        Duration.ZERO)
                    .withControl(new ControlConfig(ControlConfig.Mode.EXPLICIT, Set.of(), true))));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.close();
  }

  private static ModelRepositoryParameter bytes(byte[] content) {
    return ModelRepositoryParameter.newBuilder()
        .setBytesParam(ByteString.copyFrom(content))
        .build();
  }

  /** What a caller gets that uploads a model and asks it for its weights. */
  private String steal(byte[] model) {
    var stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    try {
      stub.repositoryModelLoad(
          RepositoryModelLoadRequest.newBuilder()
              .setModelName("up")
              .putParameters(
                  "config", ModelRepositoryParameter.newBuilder().setStringParam("{}").build())
              .putParameters("file:1/model.onnx", bytes(model))
              .putParameters("file:1/weights", bytes(WEIGHTS.getBytes(US_ASCII)))
              .build());
      var x =
          ModelInferRequest.InferInputTensor.newBuilder()
              .setName("x")
              .setDatatype("FP32")
              .addShape(1);
      return stub.modelInfer(
              ModelInferRequest.newBuilder()
                  .setModelName("up")
                  .addInputs(x)
                  .addRawInputContents(ByteString.copyFrom(new byte[4]))
                  .build())
          .getRawOutputContents(0)
          .toStringUtf8();
    } catch (StatusRuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static OnnxModelWriter model() {
    return new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "1")
        .output("y", OnnxModelWriter.UINT8, "32");
  }

  private Map<String, byte[]> forms(Map<String, String> where) {
    Map<String, byte[]> forms = new LinkedHashMap<>();
    forms.put(
        "initializer", model().external("w", 32, where).node("Identity", "y", "w").toByteArray());
    forms.put(
        "constant",
        model().externalConstant("w", 32, where).node("Identity", "y", "w").toByteArray());
    forms.put(
        "initializer of a branch",
        model()
            .node("IsNaN", "b", "x")
            .node(
                "",
                "If",
                Map.of(
                    "then_branch", branch(where),
                    "else_branch", branch(where)),
                List.of("y"),
                "b")
            .toByteArray());
    return forms;
  }

  private static OnnxModelWriter branch(Map<String, String> where) {
    return new OnnxModelWriter()
        .external("w", 32, where)
        .node("Identity", "out", "w")
        .output("out", OnnxModelWriter.UINT8, "32");
  }

  private void assertEachForm(Map<String, String> where, String answer) {
    forms(where).forEach((form, model) -> assertThat(steal(model)).as(form).matches(answer));
  }

  @Test
  void bytesOfAFileThatCameWithTheModelAreItsWeights() {
    assertEachForm(Map.of("location", "weights"), WEIGHTS);
  }

  @Test
  void filesOfTheServerAreNoWeights() {
    for (String place :
        List.of(
            temp.resolve("secret").toString(),
            "../".repeat(16) + temp.resolve("secret"),
            "../../../.lock",
            "/etc/hostname",
            "/proc/self/environ")) {
      assertEachForm(Map.of("location", place), REFUSED);
    }
  }

  @Test
  void memoryOfTheServerIsNoWeight() {
    try (Arena arena = Arena.ofShared()) {
      String address = Long.toString(arena.allocateFrom(SECRET).address());
      for (String place : List.of("*/_ORT_MEM_ADDR_/*", "/proc/self/mem", "/dev/mem")) {
        assertEachForm(Map.of("location", place, "offset", address, "length", "32"), REFUSED);
      }
    }
  }
}
