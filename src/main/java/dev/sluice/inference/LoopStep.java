package dev.sluice.inference;

import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.PaddingSide;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What schedulers know of a request that is a step of a generation loop. */
public sealed interface LoopStep {
  /**
   * A prompt that runs, or a chunk of it.
   *
   * @param tokens that it has, in all of its rows
   * @param behindCache whether it continues what earlier chunks left in the caches. Such a step
   *     runs alone: attention operators take several new tokens behind a cache for one row only
   * @param late inputs that take the place of its own if it runs alone
   * @param turn when it may run
   */
  record Prefill(long tokens, boolean behindCache, LateInputs late, Turn turn)
      implements LoopStep {}

  /**
   * Inputs of a step that are made when it runs, not when it is queued: it holds no memory for them
   * while it waits.
   */
  @FunctionalInterface
  interface LateInputs {
    /** A step has no other inputs than its own. */
    LateInputs NONE = () -> null;

    /**
     * Returns the inputs to run with, the caller's to close; null: the step's own. On the thread
     * that runs it, just before it does; more than once if the run is repeated.
     */
    @Nullable List<NamedTensor> make();
  }

  /**
   * When the first step of a prompt may run: behind the run of another prompt that computes what
   * both begin with. For the holder of the queue, who asks once more when {@link Turn#mustWait} may
   * have changed. Levels of priority are numbered from the highest, which is 0.
   */
  interface Turn {
    /** A step waits for none, and none waits for it. */
    Turn ANY =
        new Turn() {
          @Override
          public boolean mustWait(int level) {
            return false;
          }

          @Override
          public boolean begin(int level) {
            return false;
          }
        };

    /** Returns whether it is to wait: another prompt is computing what it begins with. */
    boolean mustWait(int level);

    /**
     * Lets it run, and others wait for it.
     *
     * @return whether it begins behind what is kept, so that it has to run alone
     */
    boolean begin(int level);
  }

  /**
   * How the rows of a decode step may be padded, so that streams of different lengths run together:
   * the mask hides the padding from the model.
   *
   * @param axes of each input that has such rows, the dimension that is their length; the same
   *     object for all steps of a model
   * @param side the side of the rows on which the padding is; the same for all steps of a model
   * @param present elements that are padding already, in each of those inputs
   * @param length elements of a row without its padding
   * @param most by how many elements steps that join may differ
   * @param inPlace the outputs that the model may write over inputs, with the names of these:
   *     caches with room for new elements behind those there are, which are as long as the mask;
   *     empty if the model makes new ones, longer by one element. The same object for all steps of
   *     a model
   */
  record Padding(
      Map<String, Integer> axes,
      PaddingSide side,
      long present,
      long length,
      long most,
      Map<String, String> inPlace)
      implements LoopStep {
    /** Returns whether a step may join another. */
    @SuppressWarnings("ReferenceEquality") // Steps of one model have the same object.
    public boolean joins(Padding other) {
      return axes == other.axes && Math.abs(length - other.length) <= most;
    }

    /** Returns the dimension that is the length of an input's rows; 0 if it has none. */
    public int axis(String input) {
      return axes.getOrDefault(input, 0);
    }
  }
}
