package dev.sluice.serving.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.ModelConfig.Workers;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.serving.worker.ReopenableSession;
import dev.sluice.telemetry.meter.LoadMeters;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.NothingRecorded;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionWorkersTest {
  @TempDir private Path folder;

  private final List<String> ran = new ArrayList<>();
  private final List<String> open = new ArrayList<>();
  private int loaded;
  private int mostOpen = Integer.MAX_VALUE;
  private boolean shares = true;

  /** A worker's session over what was loaded as the one of its number. */
  private final class Loaded implements ModelSession {
    private final String name;

    Loaded(String name) {
      this.name = name;
      open.add(name);
    }

    @Override
    public Optional<ModelSession> share() {
      if (open.size() >= mostOpen) {
        throw InferenceException.invalid("no more of them");
      }
      return shares && open.contains(name) ? Optional.of(new Loaded(name)) : Optional.empty();
    }

    @Override
    public ModelMetadata metadata() {
      return FakeSession.METADATA;
    }

    @Override
    public List<NamedTensor> run(
        Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
      ran.add(name);
      return List.of();
    }

    @Override
    public void close() {
      open.remove(name);
    }
  }

  private final class Provider implements RuntimeProvider {
    @Override
    public String name() {
      return "fake";
    }

    @Override
    public boolean recognises(Path folder) {
      return true;
    }

    @Override
    public ModelSession open(ModelSource source) {
      return new Loaded("session " + ++loaded);
    }
  }

  private SessionOpener opener() {
    var source = new ModelSource(new ModelId("m", 1), folder, RuntimesConfig.DEFAULT);
    return new SessionOpener(
        new Provider(), source, folder, NothingRecorded.HERE, new LoadMeters(), 1 << 20, () -> 0);
  }

  private SessionOpener.Opened open(int instances, int concurrency) {
    return open(opener(), instances, concurrency);
  }

  private static SessionOpener.Opened open(SessionOpener opener, int instances, int concurrency) {
    return opener.open(ModelConfig.DEFAULT.withWorkers(new Workers(instances, concurrency)));
  }

  /** Which session each worker runs, in the workers' order. */
  private List<String> run(SessionOpener.Opened opened) {
    ran.clear();
    for (ModelSession session : opened.sessions()) {
      session.run(FakeSession.SIGNATURE, List.of(), List.of());
    }
    return List.copyOf(ran);
  }

  @Test
  void theFirstWorkersOfAllInstancesComeBeforeTheirSecondOnes() {
    SessionOpener.Opened opened = open(2, 3);
    assertThat(loaded).isEqualTo(2);
    assertThat(run(opened))
        .containsExactly(
            "session 1", "session 2", "session 1", "session 2", "session 1", "session 2");
    assertThat(opened.sessions()).noneMatch(ReopenableSession.class::isInstance);
    opened.sessions().forEach(ModelSession::close);
    assertThat(open).isEmpty();
  }

  @Test
  void sessionsOfOneWorkerEachCanBeOpenedAgain() {
    SessionOpener.Opened opened = open(3, 1);
    assertThat(run(opened)).containsExactly("session 1", "session 2", "session 3");
    assertThat(opened.sessions()).allMatch(ReopenableSession.class::isInstance);
  }

  @Test
  void aSessionThatRunsOneRequestAtATimeHasOneWorker() {
    shares = false;
    SessionOpener.Opened opened = open(2, 4);
    assertThat(run(opened)).containsExactly("session 1", "session 2");
    assertThat(opened.config().workers()).isEqualTo(new Workers(2, 1));
    assertThat(opened.sessions()).allMatch(ReopenableSession.class::isInstance);
  }

  @Test
  void aSessionInPlaceOfOneThatHangsIsSharedWithTheOtherWorkers() {
    SessionOpener opener = opener();
    SessionOpener.Opened opened = open(opener, 1, 2);
    // The worker of the first hangs, and its run ends later.
    try (ModelSession beside = opener.openBeside(opened)) {
      assertThat(runOf(beside)).isEqualTo("session 1");
      opened.sessions().getFirst().close();
      try (ModelSession other = opener.openBeside(opened)) {
        assertThat(runOf(other)).isEqualTo("session 1");
      }
    }
    opened.sessions().getLast().close();
    try (ModelSession another = opener.openBeside(opened)) {
      assertThat(runOf(another)).isEqualTo("session 2");
    }
    assertThat(open).isEmpty();
  }

  @Test
  void aSessionInPlaceOfOneWithOneWorkerIsAnotherOne() {
    SessionOpener opener = opener();
    SessionOpener.Opened opened = open(opener, 1, 1);
    try (ModelSession beside = opener.openBeside(opened)) {
      assertThat(runOf(beside)).isEqualTo("session 2");
    }
    opened.sessions().forEach(ModelSession::close);
    assertThat(open).isEmpty();
  }

  private String runOf(ModelSession session) {
    session.run(FakeSession.SIGNATURE, List.of(), List.of());
    return ran.getLast();
  }

  @Test
  void aWorkerThatCannotBeGivenItsSessionLeavesNoneOpen() {
    mostOpen = 5;
    assertThatThrownBy(() -> open(2, 3)).hasMessage("no more of them");
    assertThat(open).isEmpty();
  }
}
