package dev.sluice.serving.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.NothingRecorded;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionOpenerTest {
  private static final Path FOLDER = Path.of("digits", "1");

  private final List<Unreadable> opened = new ArrayList<>();

  @Test
  void aSessionWhoseMetadataCannotBeReadIsClosed() {
    assertThatThrownBy(() -> opener().open(ModelConfig.DEFAULT)).hasMessage("no signature");
    assertThat(opened).hasSize(1).allMatch(session -> session.closed);
  }

  private SessionOpener opener() {
    var id = new ModelId("digits", 1);
    return new SessionOpener(
        new Unreliable(),
        new ModelSource(id, FOLDER, ModelConfig.DEFAULT.runtimes()),
        FOLDER,
        NothingRecorded.HERE,
        Telemetry.unseen().loads(),
        1,
        System::nanoTime);
  }

  /** Opens sessions of which nothing can be read. */
  private final class Unreliable implements RuntimeProvider {
    @Override
    public String name() {
      return "onnx";
    }

    @Override
    public boolean recognises(Path folder) {
      return true;
    }

    @Override
    public ModelSession open(ModelSource source) {
      opened.add(new Unreadable());
      return opened.getLast();
    }
  }

  private static final class Unreadable implements ModelSession {
    private boolean closed;

    @Override
    public ModelMetadata metadata() {
      throw InferenceException.invalid("no signature");
    }

    @Override
    public List<NamedTensor> run(
        Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
      throw new AssertionError("nothing is run");
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
