package dev.sluice.scheduling.sequence;

import dev.sluice.config.binding.FileProblem;
import dev.sluice.config.model.SequenceConfig.State;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tensor that a sequence carries from one run to the next. Immutable; any thread.
 *
 * <p>Its first value is zeros, or what a file beside the model says; afterwards it is an output of
 * the run before.
 */
final class StateTensor {
  /** Bytes that every new sequence begins with: more than any state has. */
  private static final long LARGEST = 1L << 31;

  private final State state;
  private final TensorSpec input;
  private final Shape first;
  private final byte @Nullable [] content;

  /**
   * Reads the file it begins with, if there is one. Blocks.
   *
   * @throws InferenceException with FAILED_PRECONDITION if the model's tensors and the settings do
   *     not go together
   */
  StateTensor(State state, TensorSpec input, TensorSpec output, boolean batched) {
    this.state = state;
    this.input = input;
    if (input.type() != output.type()) {
      throw mismatch(
          "output '%s' is %s, input '%s' is %s"
              .formatted(output.name(), output.type(), input.name(), input.type()));
    }
    this.first = first(state.dims(), batched);
    if (!input.shape().accepts(first) || bytes() > LARGEST) {
      throw mismatch(
          "it begins with shape %s, input '%s' has %s"
              .formatted(first, input.name(), input.shape()));
    }
    this.content = state.file().map(this::read).orElse(null);
  }

  private Shape first(List<Long> dims, boolean batched) {
    if (dims.isEmpty() && input.shape().isRankKnown()) {
      return ConstantTensors.unitShape(input.shape());
    }
    Shape item = Shape.of(dims.stream().mapToLong(Long::longValue).toArray());
    return batched ? item.prepend(1) : item;
  }

  private long bytes() {
    try {
      return Math.multiplyExact(first.elementCount(), Math.max(4, input.type().byteSize()));
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  private byte[] read(Path file) {
    long wanted = first.elementCount() * input.type().byteSize();
    try {
      if (input.type() == DataType.BYTES || Files.size(file) != wanted) {
        throw mismatch(
            "%s has %d bytes, wanted %d of %s"
                .formatted(file, Files.size(file), wanted, input.type()));
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw mismatch(file + " " + FileProblem.of(e));
    }
  }

  private InferenceException mismatch(String what) {
    return new InferenceException(
        ErrorCode.FAILED_PRECONDITION,
        "sequence state '" + state.output() + "' to '" + state.input() + "': " + what);
  }

  String output() {
    return state.output();
  }

  String input() {
    return state.input();
  }

  /** Returns the initial state of a sequence, for the caller to close. */
  Tensor begin() {
    if (content == null) {
      return ConstantTensors.zeros(input.type(), first);
    }
    try (var builder = new TensorBuilder(input.type(), content.length)) {
      MemorySegment bytes = MemorySegment.ofArray(content);
      builder.putRaw(bytes, 0, content.length, first.elementCount());
      return builder.build(first);
    }
  }

  /**
   * Checks that what a run has made can go into the next.
   *
   * @throws InferenceException with INTERNAL if not
   */
  void requireFit(Tensor made) {
    if (!input.shape().accepts(made.shape())) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "the model made state '%s' of shape %s, its input '%s' takes %s"
              .formatted(state.output(), made.shape(), state.input(), input.shape()));
    }
  }
}
