package dev.sluice.config.model.ragged;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Ragged batching: requests whose rows differ in length run together, each padded behind its last
 * element to the longest.
 *
 * @param inputs inputs whose rows have a length, in one request the same in all of them
 * @param mask input of the shape [rows, length] that is 1 for an element and 0 for padding. A
 *     request may leave it out, and the server makes it; empty: the model has none
 * @param lengths input of the shape [rows] with the length of each row, which a request may leave
 *     out too; empty: the model has none
 * @param outputs outputs whose rows are cut to the length of the request's own
 * @param limits which lengths run together
 * @param prove whether a version proves when it is loaded, on made-up rows, that padding changes no
 *     answer, and is refused if it does or cannot be tried
 */
public record RaggedConfig(
    List<Input> inputs,
    Optional<String> mask,
    Optional<String> lengths,
    List<Output> outputs,
    Limits limits,
    boolean prove) {
  /**
   * An input whose rows have a length.
   *
   * @param name input
   * @param axis dimension that is the length, the batch being 0
   * @param pad value of the elements behind a shorter row
   */
  public record Input(String name, int axis, double pad) {
    private static Input read(Section input) {
      return new Input(
          required(input), dimension(input), input.decimal("pad", 0, -LARGEST_PAD, LARGEST_PAD));
    }
  }

  /**
   * An output whose rows have the length of the request's.
   *
   * @param name output
   * @param axis dimension that is the length, the batch being 0
   */
  public record Output(String name, int axis) {
    private static Output read(Section output) {
      return new Output(required(output), dimension(output));
    }
  }

  /**
   * Which lengths run together.
   *
   * @param maxPadding part of a row that may be padding, beyond 8 elements: requests whose lengths
   *     differ by more do not run together
   * @param batchElements elements of a batch with their padding, rows times the longest one; a
   *     longer request runs alone; 0: any number
   */
  public record Limits(double maxPadding, int batchElements) {
    static final Limits DEFAULT = new Limits(0.2, 16_384);

    private static Limits read(Section ragged) {
      return new Limits(
          ragged.decimal("max_padding", DEFAULT.maxPadding, 0, 1),
          ragged.number("batch_elements", DEFAULT.batchElements, 0, MOST_ELEMENTS));
    }
  }

  private static final int HIGHEST_AXIS = 7;
  private static final double LARGEST_PAD = 1e14;
  private static final int MOST_ELEMENTS = 1 << 30;

  public RaggedConfig {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  /** Reads the settings under {@code ragged}. */
  public static RaggedConfig read(Section ragged) {
    List<Input> inputs = tensors(ragged, "inputs", Input::read);
    if (inputs.isEmpty()) {
      throw ragged.missing("inputs", "the inputs whose rows have a length");
    }
    return new RaggedConfig(
        inputs,
        ragged.text("mask"),
        ragged.text("lengths"),
        tensors(ragged, "outputs", Output::read),
        Limits.read(ragged),
        ragged.flag("prove", true));
  }

  private static <T> List<T> tensors(Section ragged, String key, Function<Section, T> reader) {
    return ragged.value(key).map(Setting::elements).orElse(List.of()).stream()
        .map(tensor -> tensor.section().readAll(reader))
        .toList();
  }

  private static String required(Section tensor) {
    return tensor.text("name").orElseThrow(() -> tensor.missing("name", "a tensor's name"));
  }

  private static int dimension(Section tensor) {
    return tensor.number("axis", 1, 1, HIGHEST_AXIS);
  }
}
