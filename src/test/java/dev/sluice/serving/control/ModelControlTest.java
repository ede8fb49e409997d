package dev.sluice.serving.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.security.TrustConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.repository.ModelRepository;
import dev.sluice.repository.RepositoryListener;
import dev.sluice.repository.Workers;
import dev.sluice.telemetry.Telemetry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The server's readiness, beyond that of its models. */
class ModelControlTest {
  private static final DesiredModels NONE = DesiredModels.only(Map.of());

  private final ModelRepository repository =
      new ModelRepository(
          RepositoryConfig.of(NONE, Duration.ZERO),
          _ -> ModelConfig.DEFAULT,
          (id, _, _) -> {
            throw new AssertionError("nothing is loaded, not even " + id);
          },
          new NoWorkers(),
          InstantSource.system(),
          new SilentListener());

  private final ModelControl control =
      new ModelControl(
          repository,
          new ModelConfigReader(SluiceConfig.DEFAULT, _ -> {}),
          SluiceConfig.DEFAULT.repository().control(),
          new LoadPolicy(TrustConfig.DEFAULT, NONE),
          true,
          false,
          Telemetry.unseen().liveness());

  @Test
  void serverIsNotReadyWhileReadinessIsHeldAndHasStartedWithItsModels() {
    control.holdReadiness();
    assertThat(control.started()).isFalse();
    repository.scan();
    assertThat(control.ready()).isFalse();
    assertThat(control.started()).isTrue();
    control.releaseReadiness();
    assertThat(control.ready()).isTrue();
    assertThat(control.started()).isTrue();
  }

  @Test
  void serverThatDrainsIsNotReadyAnyMore() {
    repository.scan();
    control.drain();
    assertThat(control.ready()).isFalse();
  }

  private static final class NoWorkers implements Workers {
    @Override
    public void execute(Runnable task) {
      throw new AssertionError("nothing is loaded");
    }

    @Override
    public void executeAfter(Duration delay, Runnable task) {
      throw new AssertionError("nothing is loaded");
    }
  }

  private static final class SilentListener implements RepositoryListener {
    @Override
    public void available(ModelId id) {}

    @Override
    public void failed(ModelId id, VersionStatus.Failure why) {}

    @Override
    public void memberLost(ModelId id, VersionStatus.Failure why) {}

    @Override
    public void unloaded(ModelId id) {}

    @Override
    public void warning(String text) {}
  }
}
