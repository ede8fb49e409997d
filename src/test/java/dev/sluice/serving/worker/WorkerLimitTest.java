package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.ModelConfig.Workers;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.OnnxConfig.Threads;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.testing.FakeSession;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkerLimitTest {
  private static final int CORES = 8;

  private final FakeSession session = new FakeSession();

  private WorkerLimit limit(ModelConfig config) {
    int sessions = config.workers().instances();
    return WorkerLimit.of(
        config,
        new ModelInstances(
            Collections.nCopies(sessions, session),
            Collections.nCopies(sessions, InstancePermit.UNLIMITED),
            FakeSession::new),
        CORES);
  }

  private static ModelConfig threads(int intraOp) {
    OnnxConfig onnx = OnnxConfig.DEFAULT;
    return onnx(onnx.with(new Threads(Optional.of(intraOp), 1, false, false)));
  }

  private static ModelConfig onnx(OnnxConfig onnx) {
    return ModelConfig.DEFAULT.withRuntimes(
        new RuntimesConfig(onnx, RuntimesConfig.DEFAULT.tensorflow()));
  }

  @ParameterizedTest
  @CsvSource({"1, 8, 1", "2, 4, 2", "3, 2, 3", "8, 1, 8", "16, 1, 8", "0, 1, 8"})
  void runsOfSeveralThreadsAreAsManyAsHaveCores(int threads, int most, int coresOfARun) {
    session.shareWith(FakeSession::new);
    assertThat(limit(threads(threads))).isEqualTo(new WorkerLimit(most, coresOfARun));
  }

  @Test
  void runsSpreadOverTheCoresLeaveSomeToOthersOnALargeMachine() {
    session.shareWith(FakeSession::new);
    ModelConfig spread = ModelConfig.DEFAULT.withSpreadRuns();
    assertThat(limit(spread)).isEqualTo(new WorkerLimit(2, 4));
    assertThat(spread.runtimes().onnx().threads().intraOp(CORES)).isEqualTo(CORES);
  }

  @Test
  void numberOfThreadsInTheSettingsIsKeptByRunsThatWouldBeSpread() {
    session.shareWith(FakeSession::new);
    Threads one = new Threads(Optional.of(1), 1, false, true);
    assertThat(one.areSpread()).isFalse();
    assertThat(limit(onnx(OnnxConfig.DEFAULT.with(one)))).isEqualTo(new WorkerLimit(CORES, 1));
  }

  @Test
  void runsThatAreNotIndependentHaveOneWorker() {
    assertThat(limit(ModelConfig.DEFAULT)).isEqualTo(new WorkerLimit(1, 1));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "1, 4", "2, 0"})
  void numbersInTheSettingsAreKept(int instances, int concurrency) {
    session.shareWith(FakeSession::new);
    ModelConfig config = ModelConfig.DEFAULT.withWorkers(new Workers(instances, concurrency));
    assertThat(limit(config).most()).isEqualTo(1);
  }

  @Test
  void runsThatWaitForCountedResourcesHaveOneWorker() {
    session.shareWith(FakeSession::new);
    var permit =
        new InstancePermit() {
          @Override
          public boolean tryAcquire() {
            return true;
          }

          @Override
          public void acquire() {}

          @Override
          public void release(boolean ran, boolean again) {}

          @Override
          public void stop() {}

          @Override
          public void close() {}
        };
    WorkerLimit limit =
        WorkerLimit.of(
            ModelConfig.DEFAULT,
            new ModelInstances(List.of(session), List.of(permit), FakeSession::new),
            CORES);
    assertThat(limit.most()).isEqualTo(1);
  }
}
