package dev.sluice.serving.loading;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.OnnxConfig.Threads;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.testing.MiniLm;
import dev.sluice.testing.NothingRecorded;
import dev.sluice.testing.TestModels;
import dev.sluice.testing.TinyEncoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Which models' sessions are opened for runs that are spread over the cores. */
class SpreadRunsIT {
  private static final int CORES = Runtime.getRuntime().availableProcessors();

  @TempDir private Path models;

  private final List<Threads> opened = new ArrayList<>();

  static boolean hasCores() {
    return CORES > 1;
  }

  @Test
  @EnabledIf("hasCores")
  void anEncoderWhoseTextsRunTogetherIsOpenedAgainWithAThreadForEachCore() throws IOException {
    open(TinyEncoder.ofVectors(false).writeTo(models, "tiny"), Threads.DEFAULT);
    assertThat(opened).extracting(threads -> threads.intraOp(CORES)).containsExactly(1, CORES);
  }

  @Test
  void numberOfThreadsInTheSettingsIsKept() throws IOException {
    var one = new Threads(Optional.of(1), 1, false, false);
    open(TinyEncoder.ofVectors(false).writeTo(models, "tiny"), one);
    assertThat(opened).containsExactly(one);
  }

  @Test
  void anEncoderWhoseTextsRunOneByOneKeepsToOneThread() throws IOException {
    open(MiniLm.writeTo(models, "quantized"), Threads.DEFAULT);
    assertThat(opened).containsExactly(Threads.DEFAULT);
  }

  @Test
  void aModelThatTakesNoTextsKeepsToOneThread() {
    open(TestModels.onnx("test_matmul_2d"), Threads.DEFAULT);
    assertThat(opened).containsExactly(Threads.DEFAULT);
  }

  private void open(Path folder, Threads threads) {
    OnnxConfig onnx = OnnxConfig.DEFAULT.with(threads);
    RuntimesConfig defaults = RuntimesConfig.DEFAULT;
    var runtimes = new RuntimesConfig(onnx, defaults.tensorflow());
    ModelConfig config = ModelConfig.DEFAULT.withRuntimes(runtimes);
    var id = new ModelId("m", 1);
    Path files = VersionLocation.of(folder, config);
    var opener =
        new SessionOpener(
            new Recorded(),
            new ModelSource(id, files, runtimes),
            folder,
            NothingRecorded.HERE,
            Telemetry.unseen().loads(),
            Integer.MAX_VALUE,
            System::nanoTime);
    opener.open(config).sessions().forEach(ModelSession::close);
  }

  /** ONNX Runtime, with a note of each session's threads. */
  private final class Recorded implements RuntimeProvider {
    private final OnnxRuntimeProvider runtime = new OnnxRuntimeProvider();

    @Override
    public String name() {
      return runtime.name();
    }

    @Override
    public boolean recognises(Path folder) {
      return runtime.recognises(folder);
    }

    @Override
    public ModelSession open(ModelSource source) {
      opened.add(source.settings().onnx().threads());
      return runtime.open(source);
    }
  }
}
