package dev.sluice.fuzz;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.tensor.NamedTensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compares what two ways of decoding make of the same bytes. */
public final class SameTensors {
  private SameTensors() {}

  /** Requires that two requests are the same, or that there is none; closes them. */
  public static void require(@Nullable InferenceRequest one, @Nullable InferenceRequest other) {
    try {
      if ((one == null) != (other == null)) {
        throw new AssertionError("one of two copies is refused");
      }
      if (one != null && other != null) {
        require(one.inputs(), other.inputs());
      }
    } finally {
      if (one != null) {
        one.close();
      }
      if (other != null) {
        other.close();
      }
    }
  }

  /** Requires that tensors have the same names, types, shapes and bytes. */
  public static void require(List<NamedTensor> some, List<NamedTensor> others) {
    if (some.size() != others.size()) {
      throw new AssertionError(some.size() + " tensors, and " + others.size() + " of the copy");
    }
    for (int i = 0; i < some.size(); i++) {
      requireSame(some.get(i), others.get(i));
    }
  }

  private static void requireSame(NamedTensor one, NamedTensor other) {
    if (!one.name().equals(other.name())
        || one.tensor().type() != other.tensor().type()
        || !one.tensor().shape().equals(other.tensor().shape())
        || one.tensor().data().mismatch(other.tensor().data()) >= 0) {
      throw new AssertionError("tensor '" + one.name() + "' differs from its copy's");
    }
  }
}
