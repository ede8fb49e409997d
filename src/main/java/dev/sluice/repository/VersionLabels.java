package dev.sluice.repository;

import dev.sluice.inference.Lookup;
import java.util.Map;
import java.util.function.LongFunction;

/** Movable names for the versions of one model. Immutable. */
record VersionLabels(String model, Map<String, Long> numbers) {
  VersionLabels {
    numbers = Map.copyOf(numbers);
  }

  /** Looks up the version that the label means now. */
  Lookup find(String label, LongFunction<Lookup> versions) {
    Long number = numbers.get(label);
    return number == null ? new Lookup.UnknownLabel(model, label) : versions.apply(number);
  }
}
