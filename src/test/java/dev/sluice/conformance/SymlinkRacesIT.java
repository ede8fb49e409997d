package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sluice.config.security.TrustConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.tfs.grpc.proto.ModelConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.ReloadConfigRequest;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A user of the machine who may write in a root, and change links there while a caller has them
 * loaded: no model from outside of the roots is ever served.
 */
@Timeout(120)
class SymlinkRacesIT {
  private static final int LOADS = 20;
  private static final float OWN = 1;
  private static final float SECRET = 2;

  @TempDir Path temp;
  private Path root;
  private Path outside;
  private RunningServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    root = Files.createDirectory(temp.toRealPath().resolve("root"));
    outside = Files.createDirectory(temp.toRealPath().resolve("outside"));
    model(root.resolve("own/m/1"), OWN);
    model(outside.resolve("m/1"), SECRET);
    server =
        RunningServer.start(
            RunningServer.settings(
                RunningServer.LISTENER,
                RecordCopy.with(
                    RepositoryConfig.of(DesiredModels.only(Map.of()), Duration.ofMillis(20)),
                    "trust",
                    new TrustConfig(List.of(root), Set.of(), List.of(), false))));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.close();
  }

  private static void model(Path folder, float answer) throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "1")
        .output("y", OnnxModelWriter.FLOAT, "1")
        .initializer("zero", 0)
        .initializer("answer", answer)
        .node("Mul", "nothing", "x", "zero")
        .node("Add", "y", "nothing", "answer")
        .writeTo(Files.createDirectories(folder));
  }

  /** Lets a link lead into the root and out of it by turns, each time for a while of its own. */
  private Callable<Void> turning(
      Path link, Path in, Path out, AtomicInteger turns, AtomicBoolean ended) {
    var random = new Random(7);
    long[] pauses = {0, 0, 100, 1_000, 3_000, 80_000};
    return () -> {
      while (!ended.get()) {
        Path next = link.resolveSibling("next");
        Files.createSymbolicLink(next, turns.get() % 2 == 0 ? out : in);
        Files.move(next, link, StandardCopyOption.ATOMIC_MOVE);
        turns.incrementAndGet();
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(pauses[random.nextInt(pauses.length)]));
      }
      return null;
    };
  }

  private void serve(ModelConfig... models) {
    var request = ReloadConfigRequest.newBuilder();
    request.getConfigBuilder().getModelConfigListBuilder().addAllConfig(List.of(models));
    ModelServiceGrpc.newBlockingStub(channel).handleReloadConfigRequest(request.build());
  }

  private float ask() {
    var x =
        ModelInferRequest.InferInputTensor.newBuilder()
            .setName("x")
            .setDatatype("FP32")
            .addShape(1);
    return GRPCInferenceServiceGrpc.newBlockingStub(channel)
        .modelInfer(
            ModelInferRequest.newBuilder()
                .setModelName("m")
                .addInputs(x)
                .addRawInputContents(ByteString.copyFrom(new byte[4]))
                .build())
        .getRawOutputContents(0)
        .asReadOnlyByteBuffer()
        .order(ByteOrder.LITTLE_ENDIAN)
        .getFloat();
  }

  @ParameterizedTest
  @ValueSource(strings = {"m", "m/1", "m/1/model.onnx"})
  void linkThatTurnsWhileItIsLoadedNeverLeadsOut(String what) throws Exception {
    Path link = root.resolve(what);
    Files.createDirectories(link.getParent());
    var turns = new AtomicInteger();
    var ended = new AtomicBoolean();
    List<Float> answers = new ArrayList<>();
    int refused = 0;
    try (var racer = Executors.newSingleThreadExecutor()) {
      var racing =
          racer.submit(
              turning(
                  link, root.resolve("own").resolve(what), outside.resolve(what), turns, ended));
      for (int i = 0; i < LOADS; i++) {
        int before = i;
        Polling.await("the link turns", () -> racing.isDone() || turns.get() > before);
        try {
          serve(
              ModelConfig.newBuilder()
                  .setName("m")
                  .setBasePath(root.resolve("m").toString())
                  .setModelPlatform("tensorflow")
                  .build());
          answers.add(ask());
        } catch (StatusRuntimeException e) {
          refused++;
        } finally {
          serve();
        }
      }
      ended.set(true);
      racing.get();
    }
    assertThat(answers).doesNotContain(SECRET).hasSize(LOADS - refused);
  }
}
