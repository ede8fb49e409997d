package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.RunTimeBasis;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.RecordCopy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which models' runs event loops do, by settings and by themselves. */
class InlineLimitTest {
  private static final Duration AUTO = Duration.ofNanos(50_000);

  /** A session that is asked for nothing but what says how long its runs take. */
  private record Known(RunTimeBasis runTimeBasis, Optional<ProcessHandle> process)
      implements ModelSession {
    @Override
    public ModelMetadata metadata() {
      return FakeSession.METADATA;
    }

    @Override
    public List<NamedTensor> run(
        Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
      throw new AssertionError("nothing is run");
    }

    @Override
    public void close() {
      // nothing is open
    }
  }

  private static InlineLimit limit(ModelConfig config, RunTimeBasis basis) {
    return limit(config, new Known(basis, Optional.empty()), InstancePermit.UNLIMITED);
  }

  private static InlineLimit limit(
      ModelConfig config, ModelSession session, InstancePermit permit) {
    return InlineLimit.of(
        config, new ModelInstances(List.of(session), List.of(permit), () -> session));
  }

  private static ModelConfig setting(String limit) {
    return ModelConfig.DEFAULT.withQueue(
        RecordCopy.with(QueueConfig.DEFAULT, "inlineLimit", Optional.of(Duration.parse(limit))));
  }

  @Test
  void aModelOfWhichSizesSayHowLongARunTakesIsRunInlineWithoutASetting() {
    assertThat(limit(ModelConfig.DEFAULT, RunTimeBasis.SIZE))
        .isEqualTo(new InlineLimit(AUTO, false));
    assertThat(limit(ModelConfig.DEFAULT, RunTimeBasis.SIZE_OF_EQUAL_ROWS))
        .isEqualTo(new InlineLimit(AUTO, true));
  }

  @Test
  void aModelOfWhichARunMayTakeAnyTimeIsRunByWorkersUnlessTheSettingsSayOtherwise() {
    assertThat(limit(ModelConfig.DEFAULT, RunTimeBasis.VALUES).isNever()).isTrue();
    assertThat(limit(setting("PT0.0005S"), RunTimeBasis.VALUES))
        .isEqualTo(new InlineLimit(Duration.ofNanos(500_000), false));
  }

  @Test
  void aSettingOfNoTimeLeavesAllRunsToWorkers() {
    assertThat(limit(setting("PT0S"), RunTimeBasis.SIZE).isNever()).isTrue();
  }

  @Test
  void aBatchDelayLeavesAllRunsToWorkers() {
    var batching = new BatchingConfig(8, true, Duration.ofMillis(1), List.of(), List.of());
    assertThat(limit(ModelConfig.DEFAULT.withBatching(batching), RunTimeBasis.SIZE).isNever())
        .isTrue();
  }

  @Test
  void aSessionInAnotherProcessIsRunByItsWorker() {
    var isolated = new Known(RunTimeBasis.SIZE, Optional.of(ProcessHandle.current()));
    assertThat(limit(setting("PT0.001S"), isolated, InstancePermit.UNLIMITED).isNever()).isTrue();
  }
}
