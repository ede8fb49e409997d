package dev.sluice.runtime.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.IsolatedModels;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.TestModels;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that says what makes no sense is killed, and its callers may try again. */
@Timeout(120)
class NonsenseProcessIT {
  private static final long MAX_OUTPUT = 1L << 30;

  private final long mappedBefore = IsolatedModels.mappings();

  @AfterEach
  void nothingIsLeft() {
    assertThat(IsolatedModels.mappings()).isEqualTo(mappedBefore);
    assertThat(IsolatedModels.files(ProcessHandle.current().pid())).isEmpty();
  }

  private static ModelSession open(Class<?> process) {
    ModelSource source = TestModels.source(TestModels.sample("types", "1"));
    return IsolatedSession.open("onnx", source, new ProcessLauncher(process.getName()), MAX_OUTPUT);
  }

  private static void assertMakesNoSense(InferenceException failure) {
    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure)
        .hasMessageContaining("its process was ended: it answered with something that makes no")
        .hasMessageContaining("try again later");
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        NonsenseProcess.OpensAsAnotherKind.class,
        NonsenseProcess.OpensHalf.class,
        NonsenseProcess.FailsForAnotherReason.class
      })
  void processThatOpensAModelInWordsWithoutSenseIsKilled(Class<?> process) {
    assertMakesNoSense(catchThrowableOfType(InferenceException.class, () -> open(process)));
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        NonsenseProcess.RunsToAnotherKind.class,
        NonsenseProcess.NeedsTooMuch.class,
        NonsenseProcess.NeedsLessThanNothing.class,
        NonsenseProcess.NeedsSomething.class,
        NonsenseProcess.AnswersFromElsewhere.class,
        NonsenseProcess.AnswersWithoutType.class,
        NonsenseProcess.AnswersAnotherSize.class
      })
  void processThatAnswersARunWithoutSenseIsKilled(Class<?> process) {
    try (ModelSession session = open(process);
        var input = new NamedTensor("x", Tensors.zerosAndOnes(DataType.FP32, Shape.of(1)))) {
      Signature signature = session.metadata().signature("").orElseThrow();
      assertMakesNoSense(
          catchThrowableOfType(
              InferenceException.class,
              () -> session.run(signature, List.of(input), signature.outputs())));
      assertThat(session.process().orElseThrow().isAlive()).isFalse();
    }
  }
}
