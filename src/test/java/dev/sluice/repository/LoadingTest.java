package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.LoadingConfig;
import dev.sluice.config.server.LoadingConfig.Transition;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.control.VersionStatus.Failure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How versions are loaded and replaced where the settings say otherwise. */
class LoadingTest {
  private static final Duration INTERVAL = Duration.ofSeconds(9);

  private final Path root;

  LoadingTest(@TempDir Path root) {
    this.root = root;
  }

  @Test
  void aFailedLoadIsTriedAgainAndSaysMeanwhileWhatWentWrong() {
    var test = repository(2, Transition.AVAILABILITY);
    test.files.versions("digits/1");
    test.loader.fail("digits", 1, "broken");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 LOADING");
    assertThat(test.status("digits", 1).error().orElseThrow().message()).isEqualTo("broken");
    assertThat(test.workers.delays).containsExactly(INTERVAL);
    test.loader.heal();
    test.workers.passTime();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.status("digits", 1).error()).isEmpty();
  }

  @Test
  void aTextAboutSettingsIsGivenAsItIs() {
    var test = repository(0, Transition.AVAILABILITY);
    test.files.versions("digits/1");
    test.loader.failures.put(
        new ModelId("digits", 1), new ConfigException("model.yml: labels is 7"));
    test.settle();
    assertThat(test.status("digits", 1).error().orElseThrow())
        .isEqualTo(new Failure(ErrorCode.FAILED_PRECONDITION, "model.yml: labels is 7"));
  }

  @Test
  void afterTheLastRetryTheVersionIsGivenUp() {
    var test = repository(2, Transition.AVAILABILITY);
    test.files.versions("digits/1");
    test.loader.fail("digits", 1, "broken");
    test.settle();
    test.workers.passTime();
    assertThat(test.states("digits")).isEqualTo("1 LOADING");
    test.workers.passTime();
    assertThat(test.states("digits")).isEqualTo("1 END");
    test.workers.passTime();
    test.settle();
    assertThat(test.loader.loads).hasSize(3);
  }

  @Test
  void otherFilesAreTriedWithoutWaiting() {
    var test = repository(5, Transition.AVAILABILITY);
    test.files.versions("digits/1");
    test.loader.fail("digits", 1, "broken");
    test.settle();
    test.files.write("digits/1/model.onnx", "better");
    test.loader.heal();
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    test.workers.passTime();
    assertThat(test.loader.loads).hasSize(2);
  }

  @Test
  void aRemovedVersionIsNotRetried() {
    var test = repository(5, Transition.AVAILABILITY);
    test.files.versions("digits/1", "digits/2");
    test.loader.fail("digits", 2, "broken");
    test.settle();
    test.files.remove("digits/2");
    test.settle();
    test.workers.passTime();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.loader.loads).hasSize(2);
  }

  @Test
  void stoppingDoesNotWaitForARetry() {
    var test = repository(5, Transition.AVAILABILITY);
    test.files.versions("digits/1");
    test.loader.fail("digits", 1, "broken");
    test.settle();
    assertThat(test.repository.close().isComplete()).isTrue();
    test.workers.passTime();
    assertThat(test.loader.loads).hasSize(1);
  }

  @Test
  void toSaveMemoryTheOldVersionIsClosedBeforeTheNewOneLoads() {
    var test = repository(0, Transition.RESOURCES);
    test.files.versions("digits/1");
    test.settle();
    ModelLease lease = test.acquire("digits");
    test.files.versions("digits/2");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 UNLOADING, 2 START");
    assertThat(test.loader.loads).hasSize(1);
    lease.release();
    test.workers.runNext();
    assertThat(test.loaded(0).isOpen()).isFalse();
    assertThat(test.states("digits")).isEqualTo("1 END, 2 LOADING");
    test.workers.runAll();
    assertThat(test.latestNumber("digits")).isEqualTo(2);
  }

  @Test
  void toSaveMemoryChangedFilesAreLoadedAfterTheFormerOnesAreClosed() {
    var test = repository(0, Transition.RESOURCES);
    test.files.versions("digits/1");
    test.settle();
    test.files.write("digits/1/model.onnx", "changed");
    test.repository.scan();
    test.repository.scan();
    assertThat(test.states("digits")).isEqualTo("1 UNLOADING");
    test.workers.runNext();
    assertThat(test.loader.open()).isZero();
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
  }

  private TestRepository repository(int retries, Transition transition) {
    RepositoryConfig defaults = RepositoryConfig.DEFAULT;
    return new TestRepository(
        root,
        new RepositoryConfig(
            new DesiredModels(root, Map.of()),
            defaults.control(),
            Duration.ofSeconds(1),
            new LoadingConfig(0, retries, INTERVAL, transition, true),
            defaults.tensorflow(),
            defaults.trust(),
            defaults.defaults(),
            defaults.rateLimit()));
  }
}
