package dev.sluice.inference;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class InferenceExceptionTest {
  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void onlyTheServersOwnFaultsHaveAStackTrace(ErrorCode code) {
    boolean ofServer = code.fault() == ErrorCode.Fault.SERVER;
    assertThat(new InferenceException(code, "no").getStackTrace().length > 0).isEqualTo(ofServer);
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void onlyWhatIsExhaustedOrUnavailableMayBeTriedAgain(ErrorCode code) {
    boolean again = code == ErrorCode.RESOURCE_EXHAUSTED || code == ErrorCode.UNAVAILABLE;
    assertThat(new InferenceException(code, "no").mayRetry()).isEqualTo(again);
  }

  @Test
  void otherWordsKeepTheCodeTheDelayAndTheKind() {
    InferenceException busy = InferenceException.busy("full", Duration.ofSeconds(7)).withText("x");
    assertThat(busy).hasMessage("x");
    assertThat(busy.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
    assertThat(busy.retryAfter()).isEqualTo(Duration.ofSeconds(7));
    assertThat(InferenceException.starting("s").withText("x").isStarting()).isTrue();
    assertThat(
            InferenceException.unprovenModel(ErrorCode.INTERNAL, "u")
                .withText("x")
                .isOfUnprovenModel())
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource({"START, true", "LOADING, true", "AVAILABLE, false", "UNLOADING, false", "END, false"})
  void aVersionIsStartingUntilItIsLoaded(VersionState state, boolean starting) {
    InferenceException failure =
        new ModelLookup.NotReady("m", 1, state, "").unavailable("not ready");
    assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure.isStarting()).isEqualTo(starting);
  }
}
