package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.control.LoadFailure;
import dev.sluice.inference.control.VersionStatus.Failure;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens when the set of models that should be served is replaced. */
class ServedSetTest {
  private final TestRepository test;
  private final ModelFiles files;

  ServedSetTest(@TempDir Path root) {
    test = new TestRepository(root, Map.of(), Duration.ofSeconds(1));
    files = test.files;
    files.versions("digits/1");
    test.settle();
  }

  @Test
  void whatIsNewLoadsAtOnceIfItsFilesAreOld() {
    files.versions("letters/3");
    Future<List<LoadFailure>> outcome = serve("digits", "letters");
    test.workers.runAll();
    assertThat(outcome.result()).isEmpty();
    assertThat(test.latestNumber("letters")).isEqualTo(3);
  }

  @Test
  void filesThatMayStillBeOnTheirWayAreLookedAtTwice() {
    files.write("letters/3/model.onnx", "new", ModelFiles.NOW);
    Future<List<LoadFailure>> outcome = serve("letters");
    test.workers.runAll();
    assertThat(outcome.isComplete()).isFalse();
    assertThat(test.states("letters")).isEqualTo("3 START");
    test.settle();
    assertThat(outcome.result()).isEmpty();
  }

  @Test
  void whatIsLeftOutUnloadsAfterItsLastRequestAndStaysListed() {
    ModelLease lease = test.acquire("digits");
    serve();
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 UNLOADING");
    assertThat(test.latest("digits")).isInstanceOf(ModelLookup.NotReady.class);
    lease.release();
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 END");
    assertThat(test.loader.open()).isZero();
  }

  @Test
  void whatStaysIsNotTouched() {
    files.versions("letters/3");
    serve("digits", "letters");
    test.workers.runAll();
    assertThat(test.loaded(0).isOpen()).isTrue();
    assertThat(test.loader.loads).hasSize(2);
  }

  @Test
  void aModelThatComesBackIsLoadedAgain() {
    serve();
    test.workers.runAll();
    Future<List<LoadFailure>> outcome = serve("digits");
    test.workers.runAll();
    assertThat(outcome.result()).isEmpty();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
  }

  @Test
  void anotherPolicyAndOtherLabelsApplyWithoutLoadingAnew() {
    files.versions("digits/2");
    test.settle();
    var all =
        new ListedModel(
            files.root.resolve("digits"),
            Optional.of(new VersionPolicyConfig.All()),
            Map.of("old", 1L));
    test.repository.serve(_ -> DesiredModels.only(Map.of("digits", all)));
    test.workers.runAll();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE, 2 AVAILABLE");
    assertThat(TestRepository.acquired(test.label("digits", "old")).id().version()).isEqualTo(1);
    assertThat(test.loader.loads).as("2 stayed, 1 came back").hasSize(3);
  }

  @Test
  void anotherFolderReplacesTheModelWithoutAGap() {
    files.versions("other/1");
    test.repository.serve(
        _ -> DesiredModels.only(Map.of("digits", ListedModel.in(files.root.resolve("other")))));
    test.workers.runNext();
    assertThat(test.latestNumber("digits")).isEqualTo(1);
    assertThat(test.acquiredModel()).isSameAs(test.loaded(0));
    test.workers.runAll();
    assertThat(test.acquiredModel()).isSameAs(test.loaded(1));
    assertThat(test.loaded(0).isOpen()).isFalse();
  }

  @Test
  void aNewModelThatFailsIsReportedWithItsVersionAndReason() {
    files.versions("letters/3");
    test.loader.fail("letters", 3, "broken");
    Future<List<LoadFailure>> outcome = serve("digits", "letters");
    test.workers.runAll();
    assertThat(outcome.result())
        .containsExactly(
            new LoadFailure(
                "letters", Optional.of(3L), new Failure(ErrorCode.INVALID_ARGUMENT, "broken")));
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
  }

  @Test
  void aNewModelWithoutVersionsIsReportedAndLoadedWhenTheyCome() {
    Future<List<LoadFailure>> outcome = serve("digits", "letters");
    test.workers.runAll();
    assertThat(outcome.result()).hasSize(1);
    assertThat(outcome.result().getFirst().model()).isEqualTo("letters");
    files.versions("letters/1");
    test.settle();
    assertThat(test.latestNumber("letters")).isEqualTo(1);
  }

  @Test
  void aChangeThatIsRefusedChangesNothing() {
    Future<List<LoadFailure>> outcome =
        test.repository.serve(_ -> {
          throw InferenceException.invalid("no");
        });
    test.workers.runAll();
    assertThat(outcome.cause()).hasMessage("no");
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE");
  }

  @Test
  void waitersFailWhenTheServerStops() {
    files.versions("letters/3");
    Future<List<LoadFailure>> outcome = serve("digits", "letters");
    test.workers.runNext();
    test.repository.close();
    assertThat(outcome.cause()).hasMessage("the server is stopping");
    test.workers.runAll();
    assertThat(test.loader.open()).isZero();
  }

  private Future<List<LoadFailure>> serve(String... names) {
    DesiredModels next = DesiredModels.only(Map.of());
    for (String name : names) {
      next = next.with(name, ListedModel.in(files.root.resolve(name)));
    }
    DesiredModels wanted = next;
    return test.repository.serve(_ -> wanted);
  }
}
