package dev.sluice.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.testing.FakeControlPlane;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UnreadinessTest {
  private static final VersionStatus FAILED =
      new VersionStatus(
          2,
          VersionState.END,
          Optional.of(new VersionStatus.Failure(ErrorCode.INTERNAL, "no model.onnx")));

  private static final Map<String, List<VersionStatus>> MODELS =
      Map.of(
          "empty",
          List.of(),
          "fine",
          List.of(VersionStatus.of(1, VersionState.AVAILABLE)),
          "slow",
          List.of(VersionStatus.of(1, VersionState.LOADING), FAILED),
          "stuck",
          List.of(VersionStatus.of(1, VersionState.AVAILABLE)));

  /** Four models: one without versions, one that is fine, one that loads, one with a problem. */
  private static final class Models implements FakeControlPlane {
    @Override
    public List<String> models() {
      return MODELS.keySet().stream().sorted().toList();
    }

    @Override
    public List<String> unready() {
      return List.of("empty", "slow", "stuck");
    }

    @Override
    public Optional<List<VersionStatus>> versions(String model) {
      return Optional.ofNullable(MODELS.get(model));
    }

    @Override
    public Map<String, Long> labels(String model) {
      return Map.of();
    }

    @Override
    public Optional<ModelProblem> problem(ModelSelector selector) {
      return switch (selector.name()) {
        case "stuck" -> Optional.of(new ModelProblem("its runs hang", true));
        case "fine" -> Optional.of(new ModelProblem("one of two workers is busy", false));
        default -> Optional.empty();
      };
    }

    @Override
    public Optional<String> absence(String model) {
      return Optional.of("the folder is empty");
    }
  }

  @Test
  void eachReasonNamesTheModelAndTheVersionThatItIsAbout() {
    assertThat(Unreadiness.reasons(new Models()).stream().map(JsonObject.class::cast))
        .extracting(each ->
            each.getString("model")
                + " "
                + each.getString("version")
                + " "
                + each.getString("reason"))
        .containsExactly(
            "empty null the folder is empty",
            "slow 1 it is being loaded",
            "slow 2 no model.onnx",
            "stuck null its runs hang");
  }
}
