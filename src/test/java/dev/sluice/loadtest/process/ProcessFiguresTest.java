package dev.sluice.loadtest.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessFiguresTest {
  @Test
  void processorTimeIsThatOfItsOwnCodeAndOfTheSystems() {
    String stat = "4711 (a (strange) name) S 1 2 3 4 5 6 7 8 9 10 150 50 99 99 20 0 30";
    assertThat(ProcessFigures.cpuMicros(stat)).isEqualTo(2e6);
  }

  @Test
  void compilerThreadsOfThisProcessAreFound() {
    var figures = new ProcessFigures(ProcessHandle.current().pid());
    assertThat(figures.compilerMicros()).isNotEmpty();
    assertThat(figures.compilerMicros().values()).allMatch(micros -> micros >= 0);
    assertThat(figures.cpuMicros()).isPositive();
  }

  @Test
  void thisProcessHasMemory() {
    assertThat(new ProcessFigures(ProcessHandle.current().pid()).residentBytes()).isPositive();
  }
}
