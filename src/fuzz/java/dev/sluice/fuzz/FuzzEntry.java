package dev.sluice.fuzz;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the fuzzer calls: by the names and signatures that Jazzer looks for. */
@SuppressWarnings("NonFinalStaticField") // Jazzer keeps no object between two calls.
public final class FuzzEntry {
  private static @Nullable FuzzTarget target;

  private FuzzEntry() {}

  /** Makes the target that the property {@code sluice.fuzz.target} names. */
  public static void fuzzerInitialize() {
    target = FuzzTargets.of(Objects.requireNonNull(System.getProperty("sluice.fuzz.target")));
  }

  /** Gives the target an input. */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    FuzzLimits.require(Objects.requireNonNull(target), input);
  }
}
