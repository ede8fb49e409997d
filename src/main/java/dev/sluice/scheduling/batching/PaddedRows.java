package dev.sluice.scheduling.batching;

import dev.sluice.config.model.ragged.RaggedConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.ElementValue;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.SequencePadding;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows of different lengths in one run: each is padded behind its last element to the longest, a
 * mask tells the model which elements are there, and outputs are cut to each request's length.
 *
 * <p>Any thread. Every tensor that is returned is the caller's; those that are given stay theirs.
 *
 * @param signature name of the signature whose rows these are
 * @param axes of each input whose rows have a length, the dimension that is the length; the mask
 *     among them
 * @param padding of the same inputs, what shorter rows are padded with
 * @param made inputs that a request may leave out
 * @param outputs of each output whose rows have a length, the dimension that is the length
 * @param limits which lengths run together
 */
public record PaddedRows(
    String signature,
    Map<String, Integer> axes,
    Map<String, ElementValue> padding,
    List<MadeInput> made,
    Map<String, Integer> outputs,
    RaggedConfig.Limits limits)
    implements RaggedRows {
  /** Elements by which any row may be padded: a few cost less than another run. */
  private static final int FREE_PADDING = 8;

  public PaddedRows {
    axes = Map.copyOf(axes);
    padding = Map.copyOf(padding);
    made = List.copyOf(made);
    outputs = Map.copyOf(outputs);
  }

  /** Returns the length of a request's rows; 0 if it has none, or several. */
  long length(InferenceRequest request) {
    if (!request.signature().name().equals(signature)) {
      return 0;
    }
    long length = 0;
    List<NamedTensor> inputs = request.inputs();
    for (int i = 0; i < inputs.size(); i++) {
      int axis = axis(inputs.get(i).name());
      long own = axis == 0 ? length : length(inputs.get(i), axis);
      boolean other = own == 0 || (length > 0 && own != length);
      if (axis > 0 && (other || inputs.get(i).tensor().elementCount() == 0)) {
        return 0;
      }
      length = own;
    }
    return length;
  }

  private long length(NamedTensor input) {
    return length(input, axis(input.name()));
  }

  private static long length(NamedTensor input, int axis) {
    Shape shape = input.tensor().shape();
    return axis < shape.rank() ? shape.dim(axis) : 0;
  }

  /**
   * Requires that the rows of all inputs of a request are equally long.
   *
   * @throws InferenceException with INVALID_ARGUMENT if they are not, or have no elements
   */
  public void require(List<NamedTensor> inputs) {
    NamedTensor first = first(inputs);
    for (NamedTensor input : inputs) {
      if (first != null && axis(input.name()) > 0) {
        requireElements(input);
        requireAlike(first, input);
      }
    }
  }

  /** Rows without elements may be any number: a mask for them could have any size. */
  private void requireElements(NamedTensor input) {
    Shape shape = input.tensor().shape();
    if (shape.rank() <= axis(input.name())
        || (shape.dim(0) > 0 && input.tensor().elementCount() == 0)
        || shape.dim(0) > Integer.MAX_VALUE) {
      throw InferenceException.invalid(
          "input \"%s\" has shape %s; wanted rows with elements along dimension %d"
              .formatted(input.name(), shape, axis(input.name())));
    }
  }

  private void requireAlike(NamedTensor one, NamedTensor other) {
    long wanted = length(one);
    if (length(other) != wanted) {
      throw InferenceException.invalid(
          ("input \"%s\" has shape %s; wanted %d elements along dimension %d, as input \"%s\" of"
                  + " shape %s has")
              .formatted(
                  other.name(),
                  other.tensor().shape(),
                  wanted,
                  axis(other.name()),
                  one.name(),
                  one.tensor().shape()));
    }
  }

  /** Returns the dimension of an input that is the length of its rows; 0 if they have none. */
  int axis(String input) {
    return axes.getOrDefault(input, 0);
  }

  private boolean areNear(long shortest, long longest) {
    return longest - shortest <= FREE_PADDING + (long) (longest * limits.maxPadding());
  }

  @Override
  public boolean admits(InferenceRequest request, long rows) {
    if (!request.signature().name().equals(signature)) {
      return true;
    }
    long length = length(request);
    return length > 0 && fits(rows, length);
  }

  @Override
  public boolean haveRowsThatJoin(NamedTensor input, Shape other) {
    Shape shape = input.tensor().shape();
    int axis = axis(input.name());
    return axis > 0 ? shape.hasRowsLike(other, axis) : shape.hasRowsLike(other);
  }

  @Override
  public Signature called(Signature shown) {
    return shown;
  }

  @Override
  public boolean isNear(Batch batch, RowSize size) {
    return areNear(Math.min(batch.shortest, size.length()), Math.max(batch.longest, size.length()));
  }

  @Override
  public boolean fits(Batch batch, int rows, RowSize size) {
    return fits(rows, Math.max(batch.longest, size.length()));
  }

  @Override
  public boolean areNear(InferenceRequest one, InferenceRequest other) {
    long length = length(one);
    long another = length(other);
    return (length == 0 || another == 0)
        ? haveSameRows(one, other)
        : areNear(Math.min(length, another), Math.max(length, another));
  }

  /** Rows of other signatures have no length here, whatever their inputs are called. */
  private boolean haveSameRows(InferenceRequest one, InferenceRequest other) {
    return one.inputs().stream()
        .filter(input -> axis(input.name()) > 0)
        .allMatch(input -> {
          NamedTensor match = other.input(input.name());
          return match != null && input.tensor().shape().hasRowsLike(match.tensor().shape());
        });
  }

  private boolean fits(long rows, long length) {
    return limits.batchElements() == 0 || rows * length <= limits.batchElements();
  }

  @Override
  public RowSize size(InferenceRequest request) {
    long length = length(request);
    return length == 0 ? RowSize.fixed(request) : size(request, length);
  }

  private RowSize size(InferenceRequest request, long length) {
    long fixed = 0;
    long element = 0;
    List<NamedTensor> inputs = request.inputs();
    for (int i = 0; i < inputs.size(); i++) {
      long bytes = inputs.get(i).tensor().byteSize();
      if (axis(inputs.get(i).name()) > 0) {
        element += bytes / length;
      } else {
        fixed += bytes;
      }
    }
    for (int i = 0; i < made.size(); i++) {
      TensorSpec spec = made.get(i).spec();
      if (made.get(i).mask() && request.input(spec.name()) == null) {
        element += inputs.getFirst().tensor().shape().dim(0) * spec.type().byteSize();
      }
    }
    return new RowSize(length, fixed, element);
  }

  @Override
  public @Nullable Tensor joined(String input, List<Tensor> tensors, int size) {
    int axis = axis(input);
    long longest = 0;
    long shortest = Long.MAX_VALUE;
    for (int i = 0; i < tensors.size(); i++) {
      long length = tensors.get(i).shape().dim(axis);
      longest = Math.max(longest, length);
      shortest = Math.min(shortest, length);
    }
    if (axis == 0 || shortest == longest) {
      return null;
    }
    long most = longest;
    requireLittlePadding(tensors, axis, longest, size);
    return SequencePadding.joined(
        tensors,
        axis,
        PaddingSide.RIGHT,
        tensors.stream().mapToLong(tensor -> most - tensor.shape().dim(axis)).toArray(),
        size,
        padding.getOrDefault(input, ElementValue.ZERO));
  }

  private static void requireLittlePadding(List<Tensor> tensors, int axis, long longest, int size) {
    Shape first = tensors.getFirst().shape();
    long rows = tensors.stream().mapToLong(tensor -> tensor.shape().dim(0)).sum();
    long elementBytes = tensors.getFirst().byteSize() / first.dim(0) / first.dim(axis);
    BatchAssembler.requireLittlePadding(elementBytes * longest, size - rows);
  }

  @Override
  public void complete(List<NamedTensor> inputs, List<List<NamedTensor>> requests, int size) {
    int[] rows = requests.stream().mapToInt(this::rows).toArray();
    long[] lengths = requests.stream().mapToLong(this::lengthOf).toArray();
    for (MadeInput input : made) {
      if (lengths[0] > 0
          && inputs.stream().noneMatch(there -> there.name().equals(input.spec().name()))) {
        inputs.add(new NamedTensor(input.spec().name(), input.make(rows, lengths, size)));
      }
    }
  }

  /**
   * Adds the inputs that one request has left out.
   *
   * @param inputs the request's, which the new ones are added to
   */
  public void complete(List<NamedTensor> inputs) {
    complete(inputs, List.of(inputs), rows(inputs));
  }

  private int rows(List<NamedTensor> inputs) {
    NamedTensor first = first(inputs);
    return first == null ? 0 : Math.toIntExact(first.tensor().shape().dim(0));
  }

  private long lengthOf(List<NamedTensor> inputs) {
    NamedTensor first = first(inputs);
    return first == null ? 0 : length(first);
  }

  private @Nullable NamedTensor first(List<NamedTensor> inputs) {
    for (int i = 0; i < inputs.size(); i++) {
      if (axis(inputs.get(i).name()) > 0) {
        return inputs.get(i);
      }
    }
    return null;
  }

  @Override
  public boolean fits(List<NamedTensor> results, List<PendingRequest> members, int size) {
    long longest = 0;
    for (int i = 0; i < members.size(); i++) {
      longest = Math.max(longest, length(members.get(i).request()));
    }
    return BatchSplitter.fits(results, size) && (longest == 0 || areAsLong(results, longest));
  }

  private boolean areAsLong(List<NamedTensor> results, long longest) {
    for (int i = 0; i < results.size(); i++) {
      int axis = outputs.getOrDefault(results.get(i).name(), 0);
      if (axis > 0 && length(results.get(i), axis) != longest) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Tensor next(String output, SharedTensor whole, PendingRequest member) {
    return cut(output, whole.next(member.rows()), length(member.request()));
  }

  /**
   * Returns an output without its padding; takes the tensor over.
   *
   * @param length of the request's rows; 0 if they have none
   */
  public Tensor cut(String output, Tensor tensor, long length) {
    int axis = outputs.getOrDefault(output, 0);
    if (length == 0
        || axis == 0
        || axis >= tensor.shape().rank()
        || tensor.shape().dim(axis) <= length) {
      return tensor;
    }
    try (tensor) {
      return SequencePadding.cut(
          tensor, axis, PaddingSide.RIGHT, tensor.shape().dim(axis) - length);
    }
  }
}
