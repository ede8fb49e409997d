package dev.sluice.loadtest.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CoresTest {
  @Test
  void listsHoldRangesAndSingleCores() {
    assertThat(Cores.parse("0-3,8,10-11\n")).containsExactly(0, 1, 2, 3, 8, 10, 11);
  }

  @Test
  void listIsWrittenAsTasksetReadsIt() {
    var cores = new Cores(List.of(0, 4, 1, 5));
    assertThat(cores.first(2).list()).isEqualTo("0,4");
    assertThat(cores.after(2).list()).isEqualTo("1,5");
  }

  @Test
  void affinityOfThisProcessIsRespected() throws IOException {
    assertThat(Cores.allowed().count()).isPositive();
    assertThat(Cores.allowed().ids()).doesNotHaveDuplicates();
  }
}
