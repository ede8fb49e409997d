package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.VersionState;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a model's settings do to its versions, and what changing or breaking them does. */
class ModelSettingsTest {
  private static final VersionPolicyConfig LATEST = new VersionPolicyConfig.Latest(1);
  private static final VersionPolicyConfig ALL = new VersionPolicyConfig.All();

  private final TestRepository test;
  private final ModelFiles files;

  ModelSettingsTest(@TempDir Path root) {
    test = new TestRepository(root);
    files = test.files;
    files.versions("digits/1", "digits/2");
  }

  @Test
  void theLoaderGetsTheSettings() {
    test.settings("digits", "three", TestRepository.settings(LATEST, Map.of(), 3));
    test.settle();
    assertThat(test.loaded(0).config.workers().instances()).isEqualTo(3);
  }

  @Test
  void aLabelMeansAVersion() {
    test.settings("digits", "labels", TestRepository.settings(ALL, Map.of("canary", 1L), 1));
    test.settle();
    ModelLease found = TestRepository.acquired(test.label("digits", "canary"));
    assertThat(found.id().version()).isEqualTo(1);
    found.release();
    assertThat(test.repository.labels("digits")).isEqualTo(Map.of("canary", 1L));
    assertThat(test.repository.labels("none")).isEmpty();
  }

  @Test
  void anUnknownLabelIsUnknown() {
    test.settle();
    assertThat(test.label("digits", "canary"))
        .isEqualTo(new ModelLookup.UnknownLabel("digits", "canary"));
  }

  @Test
  void aLabelOfAVersionThatIsNotThereFindsNoVersion() {
    test.settings("digits", "labels", TestRepository.settings(LATEST, Map.of("old", 1L), 1));
    test.settle();
    assertThat(test.label("digits", "old")).isEqualTo(new ModelLookup.UnknownVersion("digits", 1));
  }

  @Test
  void aLabelOfAVersionThatThereIsNotIsWarnedOf() {
    Map<String, Long> labels = Map.of("old", 1L, "stable", 9L);
    test.settings("digits", "labels", TestRepository.settings(LATEST, labels, 1));
    test.settle();
    test.settle();
    assertThat(test.listener.warnings)
        .containsExactly("Model digits: version 9 is named by its label 'stable' but is not there");
  }

  @Test
  void aLabelOfAVersionThatLoadsIsNotReady() {
    test.settings("digits", "labels", TestRepository.settings(LATEST, Map.of("new", 2L), 1));
    test.repository.scan();
    assertThat(test.label("digits", "new"))
        .isEqualTo(
            new ModelLookup.NotReady("digits", 2, VersionState.LOADING, "version 2 is loading"));
  }

  @Test
  void movingALabelLoadsNothing() {
    test.settings("digits", "one", TestRepository.settings(ALL, Map.of("canary", 1L), 1));
    test.settle();
    test.settings("digits", "other", TestRepository.settings(ALL, Map.of("canary", 2L), 1));
    test.settle();
    ModelLease found = TestRepository.acquired(test.label("digits", "canary"));
    assertThat(found.id().version()).isEqualTo(2);
    found.release();
    assertThat(test.loader.loads).hasSize(2);
  }

  @Test
  void aNewPolicyLoadsAndUnloadsVersionsButReloadsNone() {
    test.settings("digits", "all", TestRepository.ALL);
    test.settle();
    test.settings(
        "digits", "first", TestRepository.policy(new VersionPolicyConfig.Specific(Set.of(1L))));
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE, 2 END");
    assertThat(test.loader.loads).hasSize(2);
  }

  @Test
  void otherNewSettingsReloadTheVersionsBesideTheOldOnes() {
    test.settle();
    test.settings("digits", "three", TestRepository.settings(LATEST, Map.of(), 3));
    test.repository.scan();
    test.repository.scan();
    assertThat(test.acquiredModel()).isSameAs(test.loaded(0));
    test.workers.runAll();
    assertThat(test.acquiredModel()).isSameAs(test.loaded(1));
    assertThat(test.loaded(1).config.workers().instances()).isEqualTo(3);
    assertThat(test.loaded(0).closes).hasValue(1);
  }

  @Test
  void settingsThatStillChangeAreLeftAlone() {
    test.settle();
    test.settings("digits", "two", TestRepository.settings(LATEST, Map.of(), 2));
    test.repository.scan();
    test.settings("digits", "three", TestRepository.settings(LATEST, Map.of(), 3));
    test.repository.scan();
    test.workers.runAll();
    assertThat(test.loader.loads).hasSize(1);
    test.repository.scan();
    test.workers.runAll();
    assertThat(test.loaded(1).config.workers().instances()).isEqualTo(3);
  }

  @Test
  void removedSettingsAreTheDefaultsAgain() {
    test.settings("digits", "three", TestRepository.settings(LATEST, Map.of(), 3));
    test.settle();
    files.remove("digits/model.yml");
    test.settle();
    assertThat(test.loaded(1).config.workers().instances()).isEqualTo(1);
  }

  @Test
  void brokenSettingsEndTheVersionsWithTheErrorAndAffectNoOther() {
    files.versions("text/1");
    files.write("digits/model.yml", "broken");
    test.settle();
    assertThat(test.states("digits")).isEqualTo("2 END");
    assertThat(test.latest("digits"))
        .isEqualTo(new ModelLookup.NotReady("digits", -1, VersionState.END, "model.yml is broken"));
    assertThat(test.latestNumber("text")).isEqualTo(1);
    assertThat(test.repository.allReady()).isFalse();
    assertThat(test.listener.events).containsOnlyOnce("digits/2 failed: model.yml is broken");
    assertThat(test.listener.warnings).singleElement().asString().contains("digits", "model.yml");
  }

  @Test
  void aModelWithRepairedSettingsIsLoaded() {
    files.write("digits/model.yml", "broken");
    test.settle();
    test.settings("digits", "all", TestRepository.ALL);
    test.settle();
    assertThat(test.states("digits")).isEqualTo("1 AVAILABLE, 2 AVAILABLE");
    assertThat(test.repository.allReady()).isTrue();
  }

  @Test
  void aServedModelWhoseSettingsBreakStaysAsItWas() {
    test.settings("digits", "labels", TestRepository.settings(LATEST, Map.of("new", 2L), 1));
    test.settle();
    files.write("digits/model.yml", "broken");
    test.settle();
    test.latestNumber("digits");
    assertThat(test.states("digits")).isEqualTo("2 AVAILABLE");
    assertThat(test.repository.labels("digits")).containsKey("new");
    assertThat(test.listener.warnings).singleElement().asString().contains("model.yml is broken");
    assertThat(test.loader.loads).hasSize(1);
  }

  @Test
  void aServedModelWithBrokenSettingsStillTakesNewVersionsUp() {
    test.settle();
    files.write("digits/model.yml", "broken");
    files.versions("digits/3");
    test.settle();
    assertThat(test.latestNumber("digits")).isEqualTo(3);
  }

  @Test
  void newSettingsGiveAFailedVersionAnotherTry() {
    test.loader.fail("digits", 2, "too many instances");
    test.settle();
    test.loader.heal();
    test.settings("digits", "three", TestRepository.settings(LATEST, Map.of(), 3));
    test.settle();
    assertThat(test.latestNumber("digits")).isEqualTo(2);
  }
}
