package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Measurement;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints what is going on while rounds run, so that no minute passes without a line. */
final class Progress {
  private Progress() {}

  static void warm(WarmUp warmUp) {
    String how = warmUp.isSteady() ? "warm" : "not steady";
    print("%s after %d rounds: %s".formatted(how, warmUp.rounds(), figures(warmUp.last())));
  }

  static void turn(int number, List<Measurement> sides) {
    print("turn " + number + ": " + figures(sides));
  }

  static void repeated(List<Measurement> sides) {
    print("not counted, a compiler was at work: " + figures(sides));
  }

  private static String figures(List<Measurement> sides) {
    return sides.stream().map(Progress::figures).collect(Collectors.joining("; "));
  }

  private static String figures(Measurement round) {
    String rate = String.format(Locale.ROOT, "%,.0f /s", round.rate());
    return Double.isNaN(round.cpuMicros())
        ? rate
        : rate
            + String.format(
                Locale.ROOT,
                ", %.1f µs CPU, compilers %.0f %%",
                round.cpuMicros(),
                100 * round.compiling());
  }

  private static void print(String line) {
    System.out.println("    " + line);
  }
}
