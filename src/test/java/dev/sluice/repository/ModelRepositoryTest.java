package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus.Failure;
import dev.sluice.repository.scan.ModelFolder;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is found, loaded and reported. */
class ModelRepositoryTest {
  private static final String NO_VERSION =
      " holds no version; wanted folders named by a number, or one of " + ModelFolder.WANTED;

  private final Path root;
  private final TestRepository test;
  private final ModelFiles files;

  ModelRepositoryTest(@TempDir Path root) {
    this.root = root;
    test = new TestRepository(root);
    files = test.files;
  }

  @Test
  void aListedModelIsMissedOnlyIfItsFolderHoldsNoVersion(@TempDir Path listed) throws IOException {
    Path nothing = Files.createDirectories(listed.resolve("nothing"));
    var named = Map.of("digits", listed.resolve("digits"), "nothing", nothing);
    var listing = new TestRepository(listed, named, Duration.ofSeconds(1));
    listing.files.write("digits/1/model.onnx", "new", ModelFiles.NOW);
    listing.settle();
    assertThat(listing.latestNumber("digits")).isEqualTo(1);
    assertThat(listing.listener.warnings)
        .singleElement()
        .asString()
        .startsWith("Model nothing: " + nothing + " holds no version");
    listing.repository.close();
  }

  @Test
  void beforeTheFirstLookNothingIsKnownOrReadyAndNothingUnknown() {
    files.versions("digits/1");
    assertThat(test.repository.models()).isEmpty();
    assertThat(test.repository.allReady()).isFalse();
    assertThat(test.latest("digits")).isInstanceOf(ModelLookup.NotReady.class);
    assertThatThrownBy(() -> test.repository.versions("digits"))
        .hasMessageContaining("the model folders were not looked at yet");
    test.repository.scan();
    assertThat(test.latest("letters")).isEqualTo(new ModelLookup.UnknownModel("letters"));
    assertThat(test.repository.versions("letters")).isEmpty();
  }

  @Test
  void oldFoldersAreTakenAtTheFirstLook() {
    files.versions("digits/1");
    test.repository.scan();
    assertThat(test.states("digits")).isEqualTo("1 LOADING");
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.latestNumber("digits")).isEqualTo(1);
    assertThat(test.listener.events).containsExactly("digits/1 available");
  }

  @Test
  void nothingIsSettledWhileAVersionLoads() {
    files.versions("digits/1");
    assertThat(test.repository.polled()).isFalse();
    test.repository.scan();
    assertThat(test.repository.polled()).isTrue();
    assertThat(test.repository.isReconciled()).isFalse();
    test.workers.runAll();
    assertThat(test.repository.isReconciled()).isTrue();
  }

  @Test
  void theLeaseIsOfWhatTheLoaderMade() {
    files.versions("digits/1");
    test.settle();
    ModelLease found = test.acquire("digits");
    assertThat(found).isInstanceOf(LiveVersion.class);
    assertThat(((LiveVersion) found).loaded()).isSameAs(test.loaded(0));
    assertThat(test.loaded(0).folder).isEqualTo(root.resolve("digits/1"));
    found.release();
    assertThat(test.loaded(0).isOpen()).isTrue();
  }

  @Test
  void freshFoldersAreTakenAtTheSecondLook() {
    files.write("digits/1/model.onnx", "x", ModelFiles.NOW.minusMillis(1_999));
    test.repository.scan();
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 START");
    assertThat(test.repository.allReady()).isFalse();
    test.repository.scan();
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
  }

  @Test
  void withoutPollingFreshFoldersAreTakenAtOnce() {
    var once = new TestRepository(root, Map.of(), Duration.ZERO);
    files.write("digits/1/model.onnx", "x", ModelFiles.NOW);
    once.repository.scan();
    once.workers.runAll();
    assertThat(once.states("digits")).isEqualTo("1 AVAILABLE");
  }

  @Test
  void aFolderThatGrowsIsWaitedFor() {
    files.versions("digits/1");
    test.settle();
    for (String half : new String[] {"1", "12", "123"}) {
      files.write("digits/2/model.onnx", half);
      test.repository.scan();
      test.workers.runAll();
      assertThat(test.states("digits")).isEqualTo("1 AVAILABLE, 2 START");
    }
    test.repository.scan();
    test.workers.runAll();
    assertThat(test.latestNumber("digits")).isEqualTo(2);
  }

  @Test
  void aFolderWithoutAModelIsWaitedForAndSaysSoOnce() {
    files.write("digits/1/variables/variables.index", "x");
    test.settle();
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 END");
    assertThat(test.repository.allReady()).isTrue();
    assertThat(test.listener.events)
        .singleElement()
        .asString()
        .contains("digits/1", "holds no model", "got variables/variables.index");
    files.write("digits/1/saved_model.pb", "x");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
    assertThat(test.listener.events).hasSize(2).last().isEqualTo("digits/1 available");
  }

  @Test
  void modelsAreListedSortedWhateverTheirState() {
    files.versions("b/1", "c/1");
    files.folder("a");
    test.loader.fail("c", 1, "broken");
    test.settle();
    assertThat(test.repository.models()).containsExactly("a", "b", "c");
    assertThat(test.statuses("a")).isEmpty();
    assertThat(test.repository.versions("d")).isEmpty();
  }

  @Test
  void versionsAreListedAscending() {
    files.versions("digits/10", "digits/9", "digits/2");
    files.write("digits/model.yml", "all");
    test.settings("digits", "all", TestRepository.ALL);
    test.settle();
    assertThat(test.states("digits")).isEqualTo("2 AVAILABLE, 9 AVAILABLE, 10 AVAILABLE");
  }

  @Test
  void theHighestVersionIsLoadedFirst() {
    files.versions("digits/1", "digits/2", "digits/3");
    test.settings("digits", "all", TestRepository.ALL);
    test.settle();
    assertThat(test.loader.loads)
        .containsExactly(
            new ModelId("digits", 3), new ModelId("digits", 2), new ModelId("digits", 1));
  }

  @Test
  void latestIsTheHighestVersionThatTakesRequests() {
    files.versions("digits/1", "digits/2", "digits/3");
    test.settings("digits", "all", TestRepository.ALL);
    test.loader.fail("digits", 3, "broken");
    test.settle();
    assertThat(test.latestNumber("digits")).isEqualTo(2);
  }

  @Test
  void onlyWhatThePolicyWantsIsKnown() {
    files.versions("digits/1", "digits/2");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("2 AVAILABLE");
    assertThat(test.version("digits", 1)).isEqualTo(new ModelLookup.UnknownVersion("digits", 1));
  }

  @Test
  void aVersionNeverSeenIsUnknown() {
    files.versions("digits/1");
    test.settle();
    assertThat(test.version("digits", 9)).isEqualTo(new ModelLookup.UnknownVersion("digits", 9));
    assertThat(test.version("none", 1)).isEqualTo(new ModelLookup.UnknownModel("none"));
    assertThat(test.label("none", "canary")).isEqualTo(new ModelLookup.UnknownModel("none"));
  }

  @Test
  void aModelWithoutVersionsIsNotReady() {
    files.folder("empty");
    test.settle();
    assertThat(test.latest("empty"))
        .isEqualTo(
            new ModelLookup.NotReady(
                "empty", -1, VersionState.START, root.resolve("empty") + NO_VERSION));
  }

  @Test
  void aModelThatWasNamedIsWaitedFor() {
    Map<String, Path> named = Map.of("digits", root.resolve("mounted"));
    var waiting = new TestRepository(root.resolve("none"), named, Duration.ofSeconds(1));
    waiting.settle();
    assertThat(waiting.repository.allReady()).isFalse();
    files.folder("mounted");
    waiting.settle();
    assertThat(waiting.repository.allReady()).isFalse();
    files.versions("mounted/1");
    waiting.settle();
    assertThat(waiting.repository.allReady()).isTrue();
  }

  @Test
  void latestWithNoneAvailableTellsOfTheVersionNearestToIt() {
    files.versions("digits/1", "digits/2");
    test.settings("digits", "all", TestRepository.ALL);
    test.loader.fail("digits", 2, "broken");
    test.repository.scan();
    test.workers.runNext();
    assertThat(test.latest("digits"))
        .isEqualTo(
            new ModelLookup.NotReady("digits", -1, VersionState.LOADING, "version 1 is loading"));
  }

  @Test
  void aSlowModelBlocksNoOther() {
    files.versions("a/1", "b/1");
    test.repository.scan();
    assertThat(test.workers.waiting()).isEqualTo(2);
    test.workers.runSecond();
    assertThat(test.latestNumber("b")).isEqualTo(1);
    assertThat(test.latest("a")).isInstanceOf(ModelLookup.NotReady.class);
  }

  @Test
  void aFailedVersionReportsTheErrorAndAffectsNoOther() {
    files.versions("bad/1", "good/1");
    test.loader.fail("bad", 1, "model.onnx is no model");
    test.settle();
    assertThat(test.status("bad", 1).state()).isEqualTo(VersionState.END);
    assertThat(test.status("bad", 1).error())
        .contains(new Failure(ErrorCode.INVALID_ARGUMENT, "model.onnx is no model"));
    assertThat(test.version("bad", 1))
        .isEqualTo(new ModelLookup.NotReady("bad", 1, VersionState.END, "model.onnx is no model"));
    assertThat(test.latestNumber("good")).isEqualTo(1);
    assertThat(test.listener.events).contains("bad/1 failed: model.onnx is no model");
  }

  @Test
  void anErrorOfANativeLibraryIsAFailureLikeAnyOther() {
    files.versions("bad/1");
    test.loader.failures.put(new ModelId("bad", 1), new UnsatisfiedLinkError("no onnxruntime"));
    test.settle();
    assertThat(test.status("bad", 1).error())
        .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo(ErrorCode.INTERNAL));
    assertThat(test.status("bad", 1).error().orElseThrow().message()).contains("no onnxruntime");
  }

  @Test
  void aFailedVersionIsNotTriedAgainUntilItsFilesChange() {
    files.versions("bad/1");
    test.loader.fail("bad", 1, "broken");
    test.settle();
    test.settle();
    assertThat(test.loader.loads).hasSize(1);
    test.loader.heal();
    files.write("bad/1/model.onnx", "better");
    test.repository.scan();
    test.workers.runAll();
    assertThat(test.loader.loads).hasSize(1);
    test.repository.scan();
    test.workers.runAll();
    assertThat(test.states("bad")).isEqualTo("1 AVAILABLE");
    assertThat(test.status("bad", 1).error()).isEmpty();
  }

  @Test
  void theServerIsReadyWhenEverythingIsUp() {
    files.versions("a/1", "b/1");
    test.repository.scan();
    assertThat(test.repository.allReady()).isFalse();
    test.workers.runNext();
    assertThat(test.repository.allReady()).isFalse();
    test.workers.runNext();
    assertThat(test.repository.allReady()).isTrue();
  }

  @Test
  void atTheStartEveryVersionIsWaitedFor() {
    files.versions("digits/1", "digits/2");
    test.settings("digits", "all", TestRepository.ALL);
    test.repository.scan();
    test.workers.runNext();
    assertThat(test.latestNumber("digits")).isEqualTo(2);
    assertThat(test.repository.allReady()).isFalse();
  }

  @Test
  void aFailedVersionMakesTheServerNotReady() {
    files.versions("a/1", "b/1");
    test.loader.fail("a", 1, "broken");
    test.settle();
    assertThat(test.repository.allReady()).isFalse();
  }

  @Test
  void anEmptyDirectoryIsReady() {
    test.settle();
    assertThat(test.repository.allReady()).isTrue();
  }

  @Test
  void aDirectoryThatWasNeverThereIsNotReadyAndIsReportedOnce() {
    var test2 = new TestRepository(root.resolve("none"));
    test2.settle();
    assertThat(test2.repository.allReady()).isFalse();
    assertThat(test2.listener.warnings).singleElement().asString().contains("none");
  }

  @Test
  void namedModelsNeedNoDirectory() {
    files.versions("elsewhere/1");
    Map<String, Path> named = Map.of("digits", root.resolve("elsewhere"));
    var test2 = new TestRepository(root.resolve("none"), named, Duration.ofSeconds(1));
    test2.settle();
    assertThat(test2.latestNumber("digits")).isEqualTo(1);
    assertThat(test2.repository.allReady()).isTrue();
  }

  @Test
  void aVersionAskedForThatIsNotThereIsReportedAndPickedUpLater() {
    files.versions("digits/1");
    test.settings(
        "digits", "some", TestRepository.policy(new VersionPolicyConfig.Specific(Set.of(1L, 5L))));
    test.settle();
    assertThat(test.listener.warnings).singleElement().asString().contains("version 5");
    assertThat(test.repository.allReady()).isTrue();
    files.versions("digits/5");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE, 5 AVAILABLE");
  }

  @Test
  void closingUnloadsEverythingAfterTheLastLease() {
    files.versions("a/1", "b/1");
    test.settle();
    ModelLease lease = test.acquire("a");
    Future<Void> closed = test.repository.close();
    test.workers.runAll();
    assertThat(test.states("a")).isEqualTo("1 UNLOADING");
    assertThat(test.states("b")).isEqualTo("1 END");
    assertThat(closed.isComplete()).isFalse();
    lease.release();
    test.workers.runAll();
    assertThat(closed.succeeded()).isTrue();
    assertThat(test.loader.open()).isZero();
    assertThat(test.repository.allReady()).isFalse();
  }

  @Test
  void closingWaitsForLoadsUnderWayAndThrowsThemAway() {
    files.versions("digits/1");
    test.repository.scan();
    Future<Void> closed = test.repository.close();
    assertThat(closed.isComplete()).isFalse();
    test.workers.runAll();
    assertThat(closed.succeeded()).isTrue();
    assertThat(test.loader.loads).hasSize(1);
    assertThat(test.loader.open()).isZero();
    assertThat(test.listener.events).isEmpty();
  }

  @Test
  void closingAnEmptyRepositoryIsDoneAtOnce() {
    assertThat(test.repository.close().succeeded()).isTrue();
    assertThat(test.repository.close().succeeded()).isTrue();
  }

  @Test
  void nothingIsLoadedAfterClosing() {
    files.versions("digits/1");
    test.repository.close();
    test.settle();
    assertThat(test.loader.loads).isEmpty();
  }
}
