package dev.sluice.repository;

import dev.sluice.inference.ModelLookup;
import java.util.Map;
import java.util.function.LongFunction;

/** Movable names for the versions of one model. Immutable. */
record VersionLabels(String model, Map<String, Long> numbers) {
  VersionLabels {
    numbers = Map.copyOf(numbers);
  }

  /** Looks up the version that the label means now. */
  ModelLookup find(String label, LongFunction<ModelLookup> versions) {
    Long number = numbers.get(label);
    return number == null ? new ModelLookup.UnknownLabel(model, label) : versions.apply(number);
  }
}
