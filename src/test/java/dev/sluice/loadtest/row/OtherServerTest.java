package dev.sluice.loadtest.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class OtherServerTest {
  @Test
  void numbersMayDifferByTheirRoundingOnly() {
    assertThatCode(
            () -> OtherServer.requireSameNumbers(new double[] {1.25}, new double[] {1.25001}))
        .doesNotThrowAnyException();
    assertThatThrownBy(
            () -> OtherServer.requireSameNumbers(new double[] {1.25}, new double[] {1.26}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the other server answers [1.26], and this one [1.25]");
  }

  @Test
  void anAnswerWithoutNumbersIsNotTheSame() {
    assertThatThrownBy(() -> OtherServer.requireSameNumbers(new double[0], new double[0]))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> OtherServer.requireSameNumbers(new double[] {1}, new double[] {1, 2}))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void everyRowHasANameOfItsOwn() {
    assertThat(Workloads.peers())
        .extracting(Workload::name)
        .containsExactly(
            "peer-triton",
            "peer-mlserver",
            "peer-kserve",
            "peer-rust",
            "peer-genai",
            "streams-smollm2",
            "streams-smollm2-padded");
  }
}
