package dev.sluice.serving.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.extension.Setup;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelId;
import dev.sluice.runtime.plugin.PluginCode;
import dev.sluice.scheduling.deadline.TestContexts;
import dev.sluice.serving.ServablePlugin;
import dev.sluice.serving.stream.OpenStreams;
import dev.sluice.serving.stream.ResponseStream;
import dev.sluice.serving.stream.StreamMeter;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.NoModels;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.StreamReader;
import dev.sluice.testing.Tensors;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams of a plugin: in order, on demand, and gone when their reader is. */
@Timeout(60)
class PluginStreamsTest {
  private static final float BREAKS = -1;

  @TempDir Path folder;
  private final Vertx vertx = Vertx.vertx();
  private final FakeModelLease lease =
      new FakeModelLease(new ModelId("own", 1), FakeSession.METADATA);
  private final VersionMeter meter = Telemetry.unseen().version(lease.id());
  private Context callerContext;
  private ServablePlugin model;

  @BeforeEach
  void start() {
    callerContext = vertx.getOrCreateContext();
    new PluginJar()
        .file("Doubler")
        .file("Missing")
        .service("StreamingModel", "Doubler")
        .into(folder);
    PluginVersionMetrics metrics = new PluginMetrics().of(new ModelId("own", 1));
    var setup = new Setup("own", 1, folder, Map.of(), new NoModels(), metrics);
    model =
        new ServablePlugin(
            PluginVersion.of(
                PluginCode.open(setup, metrics::close),
                ModelConfig.DEFAULT,
                new PluginPaths(),
                meter,
                TestContexts.of(vertx),
                System::nanoTime),
            ModelConfig.DEFAULT,
            meter,
            System::nanoTime);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    model.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
    assertThat(lease.leases()).isZero();
  }

  private StreamReader stream(Deadline deadline, float x) {
    var request =
        new InferenceRequest(
            lease.acquire(),
            model.metadata().signature("").orElseThrow(),
            List.of(new NamedTensor("x", Tensors.floats(Shape.of(1), x))),
            List.of(),
            deadline,
            "r");
    return StreamReader.open(
        callerContext,
        reader -> {
          var stream =
              new ResponseStream(new OpenStreams(), StreamMeter.NONE, reader, callerContext);
          model.streams().stream(request, stream);
        });
  }

  @Test
  void modelThatOnlyStreamsSaysSo() {
    assertThat(model.metadata().decoupled()).isTrue();
    assertThat(model.metadata().platform()).isEqualTo("java");
  }

  @Test
  void messagesComeInOrderAndOnlyAsManyAsWereAskedFor() throws Throwable {
    StreamReader reader = stream(Deadline.NONE, 5).ask(2);
    assertThat(reader.next().getFirst()).containsExactly(1);
    assertThat(reader.next().getFirst()).containsExactly(2);
    assertThat(reader.waiting()).isZero();
    reader.ask(Long.MAX_VALUE).end();
    for (int i = 3; i <= 5; i++) {
      assertThat(reader.next().getFirst()).containsExactly(i);
    }
    assertThat(reader.waiting()).isZero();
  }

  @Test
  void failureInTheMiddleComesBehindWhatWasEmitted() throws Throwable {
    StreamReader reader = stream(Deadline.NONE, BREAKS).ask(10);
    assertThatThrownBy(reader::end)
        .isInstanceOf(InferenceException.class)
        .hasMessage("broken in the middle");
    assertThat(reader.next().getFirst()).containsExactly(0);
  }

  @Test
  void readerThatDisconnectsEndsTheCall() throws Throwable {
    StreamReader reader = stream(Deadline.NONE, 1_000_000).ask(1);
    reader.next();
    reader.leave();
    while (lease.leases() > 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void deadlineEndsAStreamThatWaitsForItsReader() {
    Deadline soon = Deadline.after(Duration.ofMillis(20), System.nanoTime());
    assertThatThrownBy(() -> stream(soon, 5).end())
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
  }

  @Test
  void manyStreamsRunSideBySideThoughTheirReadersAreSlow() throws Throwable {
    List<StreamReader> readers =
        java.util.stream.Stream.generate(() -> stream(Deadline.NONE, 3)).limit(50).toList();
    for (StreamReader reader : readers) {
      reader.ask(1);
    }
    for (StreamReader reader : readers) {
      assertThat(reader.next().getFirst()).containsExactly(1);
    }
    for (StreamReader reader : readers) {
      reader.ask(5).end();
      assertThat(reader.waiting()).isEqualTo(2);
    }
  }
}
