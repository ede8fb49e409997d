package dev.sluice.scheduling.batching;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.SequencePadding;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Puts the inputs of requests that join under one another, and pads them with the first row of the
 * first request. That takes one copy, or none where they lie under one another already: what was
 * fed back of a step whose streams join again. Decode steps of different lengths are padded on the
 * side that their model has proved; the padding stays in what they feed back, so that the next step
 * takes no copy.
 */
final class BatchAssembler {
  /** Bytes of one input's padding: a single row may be as large as a message. */
  private static final long MOST_PADDING = 1L << 28;

  private BatchAssembler() {}

  /**
   * Returns one set of inputs, the caller's to close.
   *
   * @param members at least one; their rows are like one another
   * @param ragged how rows of different lengths run together; null if they do not
   * @param size rows of the result, no fewer than the members have
   */
  static List<NamedTensor> assemble(
      List<PendingRequest> members, @Nullable RaggedRows ragged, int size) {
    InferenceRequest first = members.getFirst().request();
    StepAlignment alignment = StepAlignment.of(members);
    var inputs = new ArrayList<NamedTensor>(first.inputs().size());
    try {
      for (NamedTensor input : first.inputs()) {
        List<Tensor> tensors = tensors(members, input.name());
        @Nullable Tensor whole = ragged == null ? null : ragged.joined(input.name(), tensors, size);
        inputs.add(
            new NamedTensor(
                input.name(),
                whole == null ? joined(tensors, input.name(), alignment, size) : whole));
      }
      if (ragged != null) {
        ragged.complete(inputs, members.stream().map(m -> m.request().inputs()).toList(), size);
      }
      return inputs;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(inputs);
      throw e;
    }
  }

  /** Returns an input of each member, which stays its own. */
  static List<Tensor> tensors(List<PendingRequest> members, String input) {
    var tensors = new ArrayList<Tensor>(members.size());
    for (int i = 0; i < members.size(); i++) {
      tensors.add(tensor(members.get(i), input));
    }
    return tensors;
  }

  private static Tensor joined(
      List<Tensor> tensors, String input, StepAlignment alignment, int size) {
    int axis = alignment.axis(input);
    return axis > 0
        ? aligned(tensors, axis, alignment.side(), alignment.added(tensors, axis), size)
        : joined(tensors, size);
  }

  /** Returns tensors under one another once each row has got, or lost, elements on a side. */
  static Tensor aligned(List<Tensor> tensors, int axis, PaddingSide side, long[] added, int size) {
    requireLittlePadding(alignedBytes(tensors.getFirst(), axis, added[0]), size - rows(tensors));
    return SequencePadding.joined(tensors, axis, side, added, size);
  }

  /** Returns tensors under one another, each with rows as large as the largest. */
  static Tensor joined(List<Tensor> tensors, int size) {
    if (RowPadding.isNeeded(tensors)) {
      return padded(tensors, size);
    }
    long bytes = 0;
    for (int i = 0; i < tensors.size(); i++) {
      bytes += tensors.get(i).byteSize();
    }
    int rows = rows(tensors);
    @Nullable Tensor whole =
        rows == size
            ? SharedTensor.joined(tensors, tensors.getFirst().shape().withRows(size))
            : null;
    return whole == null ? copied(tensors, bytes, rows, size) : whole;
  }

  private static int rows(List<Tensor> tensors) {
    long rows = 0;
    for (int i = 0; i < tensors.size(); i++) {
      rows += tensors.get(i).shape().dim(0);
    }
    return Math.toIntExact(rows);
  }

  /** Returns the same once each tensor has rows as large as the largest. */
  private static Tensor padded(List<Tensor> tensors, int size) {
    Shape row = RowPadding.largest(tensors);
    var equal = new ArrayList<Tensor>(tensors.size());
    try {
      long bytes = 0;
      for (int i = 0; i < tensors.size(); i++) {
        equal.add(RowPadding.pad(tensors.get(i), row, MOST_PADDING));
        bytes += equal.getLast().byteSize();
      }
      return copied(equal, bytes, rows(equal), size);
    } finally {
      equal.forEach(Tensor::close);
    }
  }

  private static Tensor copied(List<Tensor> tensors, long bytes, int rows, int size) {
    Tensor first = tensors.getFirst();
    long rowBytes = rowBytes(first);
    requireLittlePadding(rowBytes, size - rows);
    try (var builder = new TensorBuilder(first.type(), bytes + rowBytes * (size - rows))) {
      for (int i = 0; i < tensors.size(); i++) {
        Tensor tensor = tensors.get(i);
        builder.putRaw(tensor.data(), 0, tensor.byteSize(), tensor.elementCount());
      }
      long rowElements = first.shape().withRows(1).elementCount();
      for (int i = rows; i < size; i++) {
        builder.putRaw(first.data(), 0, rowBytes, rowElements);
      }
      return builder.build(first.shape().withRows(size));
    }
  }

  /** Returns the bytes of a row once it has so many more elements. */
  private static long alignedBytes(Tensor tensor, int axis, long added) {
    Shape shape = tensor.shape();
    long bytes = tensor.type().byteSize();
    for (int i = 1; i < shape.rank(); i++) {
      bytes *= shape.dim(i) + (i == axis ? added : 0);
    }
    return bytes;
  }

  private static long rowBytes(Tensor tensor) {
    return tensor.byteSizeOf(0, tensor.shape().withRows(1).elementCount());
  }

  /** Requires that a row is not too large to be repeated so many times. */
  static void requireLittlePadding(long rowBytes, long rows) {
    if (rowBytes > 0 && rows > MOST_PADDING / rowBytes) {
      throw InferenceException.invalid(
          "a row of %d bytes is too large to be repeated %d times, up to the next of the model's"
                  .formatted(rowBytes, rows)
              + " allowed_batch_sizes");
    }
  }

  private static Tensor tensor(PendingRequest member, String name) {
    return Objects.requireNonNull(member.request().input(name)).tensor();
  }
}
