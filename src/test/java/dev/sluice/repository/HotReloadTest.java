package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.VersionState;
import dev.sluice.testing.RecordCopy;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens when folders come, change and go while requests run. */
class HotReloadTest {
  private final Path root;
  private final ModelFiles files;
  private TestRepository test;

  HotReloadTest(@TempDir Path root) {
    this.root = root;
    test = new TestRepository(root);
    files = test.files;
    files.versions("digits/1");
    test.settle();
  }

  /** A repository over the same folder that loads changed files of what serves. */
  private void rereading() {
    test =
        new TestRepository(
            root,
            RecordCopy.with(
                RepositoryConfig.DEFAULT.withWanted(new DesiredModels(root, Map.of())),
                "loading.reread",
                true));
    test.settle();
  }

  @Test
  void theOldVersionServesUntilTheNewOneIsUp() {
    files.versions("digits/2");
    test.repository.scan();
    test.repository.scan();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE, 2 LOADING");
    assertThat(test.latestNumber("digits")).isEqualTo(1);
    assertThat(test.repository.allReady()).isTrue();
    test.workers.runAll();
    assertThat(test.latestNumber("digits")).isEqualTo(2);
    assertThat(test.states("digits")).isEqualTo("1 END, 2 AVAILABLE");
  }

  @Test
  void theSwapIsOneStep() {
    files.versions("digits/2");
    test.repository.scan();
    test.repository.scan();
    ModelLease lease = test.acquire("digits");
    test.workers.runNext();
    assertThat(test.states("digits")).isEqualTo("1 UNLOADING, 2 AVAILABLE");
    assertThat(test.latestNumber("digits")).isEqualTo(2);
    lease.release();
  }

  @Test
  void aVersionThatWasReleasedTooOftenFailsItsCallersAndHoldsNoneUp() {
    ModelLease lease = test.acquire("digits");
    lease.release();
    lease.release();
    assertThatThrownBy(() -> test.latest("digits"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("digits/1 takes requests, but cannot be leased");
  }

  @Test
  void theOldVersionIsClosedAfterItsLastRequest() {
    ModelLease lease = test.acquire("digits");
    files.versions("digits/2");
    test.settle();
    assertThat(test.loaded(0).isOpen()).isTrue();
    assertThat(test.version("digits", 1))
        .isEqualTo(
            new ModelLookup.NotReady(
                "digits", 1, VersionState.UNLOADING, "version 1 is unloading"));
    lease.release();
    assertThat(test.loaded(0).isOpen()).as("closed on a worker").isTrue();
    test.workers.runAll();
    assertThat(test.loaded(0).closes).hasValue(1);
    assertThat(test.version("digits", 1))
        .isEqualTo(
            new ModelLookup.NotReady("digits", 1, VersionState.END, "version 1 was unloaded"));
  }

  @Test
  void newsComesInTheOrderOfEvents() {
    files.versions("digits/2");
    test.settle();
    assertThat(test.listener.events)
        .containsExactly("digits/1 available", "digits/2 available", "digits/1 unloaded");
  }

  @Test
  void aNewVersionThatFailsLeavesTheOldOneServing() {
    files.versions("digits/2");
    test.loader.fail("digits", 2, "broken");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE, 2 END");
    assertThat(test.latestNumber("digits")).isEqualTo(1);
    assertThat(test.repository.allReady()).isTrue();
  }

  @Test
  void aNewVersionThatFailsLeavesTheServerReady() {
    test.loader.fail("digits", 2, "broken");
    files.versions("digits/2");
    test.settle();
    assertThat(test.repository.allReady()).isTrue();
  }

  @Test
  void aModelThatIsAddedLeavesAReadyServerReadyWhileItLoadsAndIfItFails() {
    test.loader.fail("letters", 1, "broken");
    files.versions("letters/1");
    test.repository.scan();
    test.repository.scan();
    assertThat(test.states("letters")).isEqualTo("1 LOADING");
    assertThat(test.repository.allReady()).isTrue();
    test.settle();
    assertThat(test.states("letters")).isEqualTo("1 END");
    assertThat(test.repository.allReady()).isTrue();
  }

  @Test
  void aModelThatIsAddedBeforeTheServerWasReadyHasToLoad() {
    test.loader.fail("digits", 2, "broken");
    files.remove("digits/1");
    files.versions("digits/2");
    test.settle();
    assertThat(test.repository.allReady()).isFalse();
    files.versions("letters/1");
    test.loader.fail("letters", 1, "broken");
    test.settle();
    files.versions("digits/3");
    test.settle();
    assertThat(test.states("digits")).contains("3 AVAILABLE");
    assertThat(test.repository.allReady()).isFalse();
  }

  @Test
  void aFailedVersionIsForgottenWithItsFolder() {
    files.versions("digits/2");
    test.loader.fail("digits", 2, "broken");
    test.settle();
    files.remove("digits/2");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.repository.allReady()).isTrue();
  }

  @Test
  void aFolderReplacedByAnotherInStepsKeepsTheOldOneServing() {
    files.versions("digits/2");
    test.repository.scan();
    test.repository.scan();
    files.remove("digits/1");
    test.repository.scan();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE, 2 LOADING");
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 END, 2 AVAILABLE");
  }

  @Test
  void aDeletedFolderUnloadsItsVersionAfterTheLastRequest() {
    ModelLease lease = test.acquire("digits");
    files.remove("digits/1");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 UNLOADING");
    lease.release();
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 END");
    assertThat(test.loader.open()).isZero();
    assertThat(test.repository.allReady()).isTrue();
  }

  @Test
  void aDeletedModelStaysListedIfItEverServed() {
    files.remove("digits");
    test.settle();
    assertThat(test.repository.models()).containsExactly("digits");
    assertThat(test.states("digits")).isEqualTo("1 END");
  }

  @Test
  void aDeletedModelThatNeverServedIsForgotten() {
    files.folder("empty");
    files.versions("bad/1");
    test.loader.fail("bad", 1, "broken");
    test.settle();
    files.remove("empty");
    files.remove("bad");
    test.settle();
    assertThat(test.repository.models()).containsExactly("digits");
  }

  @Test
  void aVersionThatComesBackIsLoadedAgain() {
    files.remove("digits/1");
    test.settle();
    files.versions("digits/1");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.loader.loads).hasSize(2);
  }

  @Test
  void aVersionMayComeBackWhileItsLastRequestsStillRun() {
    ModelLease lease = test.acquire("digits");
    files.remove("digits/1");
    test.settle();
    files.versions("digits/1");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.loader.open()).isEqualTo(2);
    lease.release();
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.loaded(0).closes).hasValue(1);
    assertThat(test.loaded(1).isOpen()).isTrue();
  }

  @Test
  void anOlderVersionReturnsWhenTheNewerFolderIsDeleted() {
    files.versions("digits/2");
    test.settle();
    files.remove("digits/2");
    test.repository.scan();
    assertThat(test.states("digits")).isEqualTo("1 LOADING, 2 AVAILABLE");
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE, 2 END");
  }

  @Test
  void replacedFilesAreLoadedBesideTheOldOnesThenSwapped() {
    rereading();
    ModelLease lease = test.acquire("digits");
    files.write("digits/1/model.onnx", "new content");
    test.repository.scan();
    assertThat(test.workers.waiting()).isZero();
    test.repository.scan();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.acquiredModel()).isSameAs(test.loaded(0));
    test.workers.runAll();
    assertThat(test.acquiredModel()).isSameAs(test.loaded(1));
    assertThat(test.loaded(0).isOpen()).isTrue();
    lease.release();
    test.workers.runAll();
    assertThat(test.loaded(0).closes).hasValue(1);
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
  }

  @Test
  void replacedFilesThatFailLeaveTheOldOnesServingAndSayWhy() {
    rereading();
    test.loader.fail("digits", 1, "broken");
    files.write("digits/1/model.onnx", "broken content");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.status("digits", 1).error().orElseThrow().message()).isEqualTo("broken");
    assertThat(test.acquiredModel()).isSameAs(test.loaded(0));
    assertThat(test.loaded(0).isOpen()).isTrue();
    assertThat(test.listener.events).contains("digits/1 failed: broken");
    test.settle();
    assertThat(test.loader.loads).hasSize(2);
  }

  @Test
  void filesTakenAwayOneByOneLeaveTheVersionServing() {
    files.remove("digits/1/model.onnx");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    files.write("digits/1/model.onnx", "new content");
    test.settle();
    assertThat(test.acquiredModel()).isSameAs(test.loaded(0));
  }

  @Test
  void replacedFilesOfAVersionThatServesAreNotLoadedUnlessASettingSaysSo() {
    test.settle();
    files.write("digits/1/model.onnx", "new content");
    test.settle();
    files.write("digits/1/more", "more content");
    test.settle();
    assertThat(test.loader.loads).hasSize(1);
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.status("digits", 1).error()).isEmpty();
  }

  @Test
  void filesThatChangeWhileTheyAreLoadedAreLoadedAgain() {
    files.versions("digits/2");
    test.repository.scan();
    test.repository.scan();
    files.write("digits/2/model.onnx", "more content");
    test.repository.scan();
    test.repository.scan();
    assertThat(test.workers.waiting()).isEqualTo(1);
    test.workers.runNext();
    assertThat(test.latestNumber("digits")).isEqualTo(2);
    test.workers.runAll();
    assertThat(test.loader.loads)
        .containsExactly(
            new ModelId("digits", 1), new ModelId("digits", 2), new ModelId("digits", 2));
    assertThat(test.acquiredModel()).isSameAs(test.loaded(2));
    assertThat(test.loader.open()).isEqualTo(1);
  }

  @Test
  void aVersionDeletedWhileItLoadsNeverServes() {
    files.versions("text/1");
    test.repository.scan();
    test.repository.scan();
    files.remove("text");
    test.repository.scan();
    test.workers.runAll();
    assertThat(test.repository.models()).containsExactly("digits");
    assertThat(test.loader.open()).isEqualTo(1);
    assertThat(test.listener.events).containsExactly("digits/1 available");
  }

  @Test
  void aVersionThatReturnsWhileItLoadsServesAfterAll() {
    files.versions("text/1");
    test.repository.scan();
    test.repository.scan();
    files.move("text", ".text");
    test.repository.scan();
    files.move(".text", "text");
    test.repository.scan();
    test.repository.scan();
    assertThat(test.workers.waiting()).isEqualTo(1);
    test.workers.runAll();
    assertThat(test.states("text")).isEqualTo("1 AVAILABLE");
  }

  @Test
  void versionsThatComeFasterThanTheyLoadStillGetServed() {
    files.versions("digits/2");
    test.repository.scan();
    test.repository.scan();
    files.versions("digits/3");
    test.repository.scan();
    test.repository.scan();
    test.workers.runNext();
    assertThat(test.latestNumber("digits")).isEqualTo(2);
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 END, 2 END, 3 AVAILABLE");
  }

  @Test
  void oldVersionsGoOnlyWhenAllNewOnesAreDecided() {
    test.settings("digits", "two", TestRepository.policy(new VersionPolicyConfig.Latest(2)));
    test.settle();
    files.versions("digits/2", "digits/3");
    test.repository.scan();
    test.repository.scan();
    test.workers.runNext();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE, 2 LOADING, 3 AVAILABLE");
    test.loader.fail("digits", 2, "broken");
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 END, 2 END, 3 AVAILABLE");
  }

  @Test
  void aVanishedBaseDirectoryUnloadsNothing() {
    Path away = files.root.resolveSibling("away-" + files.root.getFileName());
    ModelFiles.move(files.root, away);
    test.settle();
    ModelFiles.move(away, files.root);
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.listener.warnings).singleElement().asString().contains("is not there");
    test.settle();
    assertThat(test.loader.loads).hasSize(1);
  }

  @Test
  void aWarningIsRepeatedOnlyIfItRecurs() {
    files.versions("digits/01");
    test.settle();
    test.settle();
    assertThat(test.listener.warnings).hasSize(1);
    files.remove("digits/01");
    test.settle();
    files.versions("digits/01");
    test.settle();
    assertThat(test.listener.warnings).hasSize(2);
  }
}
