package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.sluice.fuzz.FuzzLimits;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.FuzzTargets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The kept inputs of the fuzz targets, each of which once was a finding or a real exchange. */
class CorpusReplayTest {
  private static final long MOST_BYTES = 400_000;

  @TestFactory
  Stream<DynamicContainer> everyKeptInputKeepsItsTargetsPromises() {
    return FuzzTargets.names().stream().map(name -> dynamicContainer(name, replays(name)));
  }

  private static Stream<DynamicTest> replays(String name) {
    FuzzTarget target = FuzzTargets.of(name);
    return inputs(name).stream()
        .map(input ->
            dynamicTest(
                input.getFileName().toString(),
                () -> FuzzLimits.require(target, Files.readAllBytes(input))));
  }

  private static List<Path> inputs(String name) {
    Path folder = FuzzTargets.corpus(name);
    return FuzzTargets.inputs().stream().filter(file -> file.startsWith(folder)).toList();
  }

  @Test
  void everyTargetHasKeptInputsAndNoneIsLeftOver() {
    Set<String> kept =
        FuzzTargets.inputs().stream()
            .map(file -> file.getName(file.getNameCount() - 2).toString())
            .collect(Collectors.toSet());
    assertThat(kept).containsExactlyInAnyOrderElementsOf(FuzzTargets.names());
  }

  @Test
  void theKeptInputsStaySmall() throws IOException {
    long bytes = 0;
    for (Path input : FuzzTargets.inputs()) {
      bytes += Files.size(input);
    }
    assertThat(bytes).isBetween(10_000L, MOST_BYTES);
  }
}
