package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.inference.control.LoadFailure;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An ensemble whose member leaves, and comes back. */
class EnsembleMembersTest {
  private final TestRepository test;

  EnsembleMembersTest(@TempDir Path root) {
    test = new TestRepository(root, Map.of(), Duration.ofSeconds(1));
    test.files.versions("digits/1", "chain/1");
    var step = new EnsembleConfig.Step("digits", EnsembleConfig.LATEST, Map.of(), Map.of());
    var ensemble = new EnsembleConfig(List.of(step), List.of(), List.of());
    test.settings("chain", "composed", ModelConfig.DEFAULT.withEnsemble(ensemble));
    test.settle();
  }

  @Test
  void itIsNoFailedLoadThatACallerUnloadsTheMemberOfAnEnsemble() {
    assertThat(test.states("chain")).isEqualTo("1 AVAILABLE");
    test.listener.events.clear();
    serve("chain");
    test.workers.runAll();
    assertThat(test.states("chain")).isEqualTo("1 END");
    assertThat(test.listener.events)
        .noneMatch(event -> event.contains("failed"))
        .anyMatch(event -> event.startsWith("chain/1 without a member: ensemble 'chain'"));
  }

  @Test
  void itIsAFailedLoadThatTheMemberOfANewEnsembleIsMissing() {
    serve();
    test.workers.runAll();
    test.files.versions("other/1");
    test.settings("other", "lost", ModelConfig.DEFAULT.withEnsemble(of("nowhere")));
    serve("other");
    test.workers.runAll();
    assertThat(test.listener.events).anyMatch(event -> event.startsWith("other/1 failed: "));
  }

  @Test
  void aLoadThatBringsTheMemberBackIsAnsweredWhenTheEnsembleTakesRequests() {
    serve("chain");
    test.workers.runAll();
    serve("chain", "digits");
    Future<List<LoadFailure>> outcome =
        test.repository.load(
            "chain", _ -> ListedModel.in(test.files.root.resolve("chain")), _ -> {});
    while (!outcome.isComplete()) {
      test.workers.runNext();
    }
    assertThat(outcome.result()).isEmpty();
    assertThat(test.states("chain")).isEqualTo("1 AVAILABLE");
  }

  @Test
  void aSetThatBringsEnsembleAndMemberBackIsAnsweredWhenBothTakeRequests() {
    serve();
    test.workers.runAll();
    assertThat(test.states("chain")).isEqualTo("1 END");
    Future<List<LoadFailure>> outcome = serve("chain", "digits");
    while (!outcome.isComplete()) {
      test.workers.runNext();
    }
    assertThat(outcome.result()).isEmpty();
    assertThat(test.states("chain")).isEqualTo("1 AVAILABLE");
  }

  @Test
  void aLoadWhoseMemberFailsIsAnsweredWithTheReason() {
    serve("chain");
    test.workers.runAll();
    test.loader.fail("digits", 1, "digits is broken");
    Future<List<LoadFailure>> outcome = serve("chain", "digits");
    test.workers.runAll();
    assertThat(outcome.result()).hasSize(1);
    assertThat(test.status("chain", 1).error().orElseThrow().message())
        .contains("depends on 'digits'", "digits is broken");
  }

  private static EnsembleConfig of(String member) {
    var step = new EnsembleConfig.Step(member, EnsembleConfig.LATEST, Map.of(), Map.of());
    return new EnsembleConfig(List.of(step), List.of(), List.of());
  }

  private Future<List<LoadFailure>> serve(String... names) {
    DesiredModels next = DesiredModels.only(Map.of());
    for (String name : names) {
      next = next.with(name, ListedModel.in(test.files.root.resolve(name)));
    }
    DesiredModels wanted = next;
    return test.repository.serve(_ -> wanted);
  }
}
