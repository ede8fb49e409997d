package dev.sluice.scheduling.generator;

import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.stream.IntStream;

/**
 * An input of a model that is run in a loop.
 *
 * @param spec the model's
 * @param origin where it comes from in every step but the first
 * @param output which of the computed outputs is fed back to it; -1 if none is
 */
record GenerationInput(TensorSpec spec, Origin origin, int output) {
  /** The source of an input. */
  enum Origin {
    /** It is what was chosen of the step before. */
    CHOICE,
    /** It says what there is to look at, and grows. */
    MASK,
    /** It says where the step is. */
    POSITION,
    /** It is an output of the step before. */
    FEEDBACK,
    /** It is what the caller gave, in every step. */
    CALLER
  }

  String name() {
    return spec.name();
  }

  /** Returns whether the caller's own tensor is needed no more after the first step. */
  boolean isReplaced() {
    return origin == Origin.CHOICE || origin == Origin.POSITION || origin == Origin.FEEDBACK;
  }

  /** Returns whether it has one shape in each step behind the prompt, however many there were. */
  boolean isOfOneSize() {
    Shape shape = spec.shape();
    return shape.isRankKnown()
        && shape.rank() > 0
        && switch (origin) {
          case MASK -> false;
          case CHOICE, POSITION -> true;
          case FEEDBACK, CALLER ->
              IntStream.range(1, shape.rank()).noneMatch(i -> shape.dim(i) == Shape.ANY);
        };
  }
}
