package dev.sluice.scheduling.generator;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.scheduling.generator.GenerationInput.Origin;
import dev.sluice.scheduling.generator.input.AttentionMask;
import dev.sluice.scheduling.generator.input.PositionIds;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Prompt of a stream, and the state of its first step: KV cache, mask and positions.
 *
 * @param loop how the model is run
 * @param request what the caller gave
 * @param rows that advance together: dimension 0 of what the choice goes to, or else of the first
 *     input that has one
 * @param promptLength elements of each row in the first step
 */
record PromptState(GenerationLoop loop, InferenceRequest request, int rows, int promptLength) {
  /** Rows that advance together in one stream. */
  private static final int MOST_ROWS = 1 << 16;

  /**
   * Reads a request.
   *
   * @throws InferenceException with INVALID_ARGUMENT if a loop cannot begin with it
   */
  static PromptState of(GenerationLoop loop, InferenceRequest request) {
    NamedTensor prompt = loop.config().next().map(next -> request.input(next.to())).orElse(null);
    if (prompt != null) {
      loop.config().next().ifPresent(next -> requireTokens(prompt, loop.candidates(next)));
    }
    return new PromptState(loop, request, rows(request, prompt), promptLength(prompt));
  }

  private static void requireTokens(NamedTensor prompt, long tokens) {
    DataType type = prompt.tensor().type();
    if (tokens < 0 || !(type == DataType.INT64 || type == DataType.INT32)) {
      return;
    }
    MemorySegment ids = prompt.tensor().data();
    long count = prompt.tensor().elementCount();
    for (long i = 0; i < count; i++) {
      long id =
          type == DataType.INT64
              ? ids.getAtIndex(ValueLayout.JAVA_LONG, i)
              : ids.getAtIndex(ValueLayout.JAVA_INT, i);
      requireToken(prompt.name(), id, i, tokens);
    }
  }

  /**
   * Checks a token of a prompt. What a model would find for others, if anything, is no token: the
   * last one for -1.
   *
   * @param input as the caller calls the prompt
   * @param place of the token
   * @param tokens how many the model has
   * @throws InferenceException with INVALID_ARGUMENT if it is none of these
   */
  static void requireToken(String input, long token, long place, long tokens) {
    if (token < 0 || token >= tokens) {
      throw InferenceException.invalid(
          "input \"%s\" has token %d in element %d; the model has tokens from 0 to %d"
              .formatted(input, token, place, tokens - 1));
    }
  }

  private static int rows(InferenceRequest request, @Nullable NamedTensor prompt) {
    if (prompt != null && prompt.tensor().shape().rank() > 0) {
      return requireRows(prompt);
    }
    for (NamedTensor input : request.inputs()) {
      if (input.tensor().shape().rank() > 0) {
        return requireRows(input);
      }
    }
    return 1;
  }

  private static int requireRows(NamedTensor input) {
    long rows = input.tensor().shape().dim(0);
    if (rows < 1 || rows > MOST_ROWS) {
      throw InferenceException.invalid(
          "input \"%s\" has %d rows; a stream needs from 1 to %d"
              .formatted(input.name(), rows, MOST_ROWS));
    }
    return (int) rows;
  }

  private static int promptLength(@Nullable NamedTensor prompt) {
    if (prompt == null || prompt.tensor().shape().rank() < 2) {
      return 1;
    }
    long length = prompt.tensor().shape().dim(1);
    if (length < 1) {
      throw InferenceException.invalid(
          "input \"%s\" is empty; a stream needs something to begin with".formatted(prompt.name()));
    }
    return Math.toIntExact(length);
  }

  /** Returns whether a row of tokens is all that the caller gave: all that its cache depends on. */
  boolean isOfTokens() {
    if (loop.config().next().isEmpty() || request.inputs().size() != 1) {
      return false;
    }
    return request.inputs().getFirst().tensor().shape().equals(Shape.of(1, promptLength));
  }

  /** Returns the size of what the caller gave to be replaced by what is fed back. */
  long givenBytes() {
    long bytes = 0;
    for (GenerationInput input : loop.inputs()) {
      NamedTensor given = request.input(input.name());
      if (given != null && input.origin() == Origin.FEEDBACK) {
        bytes += given.tensor().byteSize();
      }
    }
    return bytes;
  }

  /**
   * Returns the mask of the first step, the caller's or one that leaves nothing out. Taken over.
   */
  Tensor mask(GenerationInput input) {
    NamedTensor given = request.input(input.name());
    if (given == null) {
      return AttentionMask.ones(input.spec().type(), rows, promptLength);
    }
    if (given.tensor().shape().rank() != 2) {
      throw InferenceException.invalid(
          "input \"%s\" has shape %s; a mask that grows has 2 dimensions"
              .formatted(given.name(), given.tensor().shape()));
    }
    return given.tensor();
  }

  /** Returns the positions of the first step, from which the others go on. */
  Tensor positions(GenerationInput input, PositionIds positions) {
    NamedTensor given = request.input(input.name());
    if (given == null) {
      return positions.step(promptLength);
    }
    positions.begin(given.tensor(), promptLength);
    return given.tensor();
  }

  /** Returns the tensor that the caller gave, or a made-up state; null if there is neither. */
  @Nullable Tensor input(GenerationInput input) {
    NamedTensor given = request.input(input.name());
    if (given != null) {
      return input.isReplaced() ? given.tensor() : given.tensor().borrow();
    }
    return input.origin() == Origin.FEEDBACK ? nothing(input.spec()) : null;
  }

  /** Returns a state before the first step: zeros, or an empty tensor where it grows. */
  private Tensor nothing(TensorSpec spec) {
    long[] dims = spec.shape().dims();
    for (int i = 0; i < dims.length; i++) {
      int open = i == 0 ? rows : 0;
      dims[i] = dims[i] == Shape.ANY ? open : dims[i];
    }
    if (rows > Math.max(1, request.model().metadata().maxBatchSize())) {
      throw InferenceException.invalid(
          "input \"%s\" is missing; it is made up for one row, or as many as max_batch_size, got %d"
              .formatted(spec.name(), rows));
    }
    Tensor tensor = Tensor.allocate(spec.type(), Shape.of(dims));
    tensor.data().fill((byte) 0);
    return tensor;
  }
}
