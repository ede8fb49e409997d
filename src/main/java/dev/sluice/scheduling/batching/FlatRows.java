package dev.sluice.scheduling.batching;

import dev.sluice.config.compat.triton.proto.BatchInput;
import dev.sluice.config.compat.triton.proto.BatchOutput;
import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.config.compat.triton.proto.ModelInput;
import dev.sluice.config.compat.triton.proto.ModelOutput;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Requests of any shape in one run as Triton has them: the elements of a ragged input of all
 * requests behind one another in one dimension, inputs that say where each request's are, and
 * outputs that are scattered by the shape of an input.
 *
 * <p>Any thread. Every tensor that is returned is the caller's; those that are given stay theirs.
 *
 * @param ragged inputs whose elements lie behind one another
 * @param counts inputs that the server makes, by name
 * @param scattered outputs whose elements lie behind one another, by name
 */
public record FlatRows(
    Set<String> ragged, Map<String, BatchCount> counts, Map<String, Scatter> scattered)
    implements RaggedRows {
  /** What joined requests call: the model's own tensors, whatever callers see. */
  public static final Signature JOINED = new Signature("joined", "", List.of(), List.of());

  public FlatRows {
    ragged = Set.copyOf(ragged);
    counts = Map.copyOf(counts);
    scattered = Map.copyOf(scattered);
  }

  /**
   * An output that is cut by the shape of an input.
   *
   * @param source the input
   * @param shape of a request's own; open dimensions are as the input's
   */
  public record Scatter(String source, Shape shape) {
    Shape of(Shape input) {
      long[] dims = shape.dims();
      for (int i = 0; i < dims.length; i++) {
        boolean open = dims[i] == Shape.ANY;
        dims[i] = open ? (i < input.rank() ? input.dim(i) : 1) : dims[i];
      }
      return Shape.of(dims);
    }
  }

  /** Returns how a model's requests run together by its configuration; empty if as they are. */
  public static Optional<FlatRows> of(ModelConfig model) {
    Set<String> ragged =
        model.getInputList().stream()
            .filter(ModelInput::getAllowRaggedBatch)
            .map(ModelInput::getName)
            .collect(Collectors.toSet());
    Map<String, BatchCount> counts = new LinkedHashMap<>();
    for (BatchInput input : model.getBatchInputList()) {
      for (int i = 0; i < input.getTargetNameCount(); i++) {
        counts.put(input.getTargetName(i), BatchCount.of(input));
      }
    }
    Map<String, Scatter> scattered = new LinkedHashMap<>();
    for (BatchOutput output : model.getBatchOutputList()) {
      for (int i = 0; i < output.getTargetNameCount(); i++) {
        String target = output.getTargetName(i);
        scattered.put(target, new Scatter(output.getSourceInput(0), shape(model, target)));
      }
    }
    return ragged.isEmpty() && counts.isEmpty() && scattered.isEmpty()
        ? Optional.empty()
        : Optional.of(new FlatRows(ragged, counts, scattered));
  }

  private static Shape shape(ModelConfig model, String output) {
    List<Long> dims =
        model.getOutputList().stream()
            .filter(declared -> declared.getName().equals(output))
            .map(ModelOutput::getDimsList)
            .findFirst()
            .orElse(List.of());
    Shape shape = Shape.of(dims.stream().mapToLong(dim -> dim).toArray());
    return model.getMaxBatchSize() > 0 ? shape.prepend(Shape.ANY) : shape;
  }

  /**
   * Where an input that the server makes counts requests and not rows, one with several rows runs
   * alone: outputs have a row for each request then, and who gets which would not be known.
   */
  @Override
  public boolean admits(InferenceRequest request, long rows) {
    return counts.values().stream()
        .allMatch(
            count -> request.input(count.source()) != null && (rows == 1 || count.isOfRows()));
  }

  @Override
  public boolean areNear(InferenceRequest one, InferenceRequest other) {
    return true;
  }

  @Override
  public boolean haveRowsThatJoin(NamedTensor input, Shape other) {
    return ragged.contains(input.name()) || input.tensor().shape().hasRowsLike(other);
  }

  @Override
  public RowSize size(InferenceRequest request) {
    return RowSize.fixed(request);
  }

  @Override
  public boolean isNear(Batch batch, RowSize size) {
    return true;
  }

  @Override
  public boolean fits(Batch batch, int rows, RowSize size) {
    return true;
  }

  @Override
  public Signature called(Signature signature) {
    return JOINED;
  }

  @Override
  public @Nullable Tensor joined(String input, List<Tensor> tensors, int size) {
    if (!ragged.contains(input)) {
      return null;
    }
    long bytes = tensors.stream().mapToLong(Tensor::byteSize).sum();
    try (var builder = new TensorBuilder(tensors.getFirst().type(), bytes)) {
      for (Tensor tensor : tensors) {
        builder.putRaw(tensor.data(), 0, tensor.byteSize(), tensor.elementCount());
      }
      return builder.build(Shape.of(builder.elements()));
    }
  }

  @Override
  public void complete(List<NamedTensor> inputs, List<List<NamedTensor>> requests, int size) {
    counts.forEach((name, count) -> {
      List<Shape> shapes =
          requests.stream().map(request -> shape(request, count.source())).toList();
      inputs.add(new NamedTensor(name, count.make(shapes)));
    });
  }

  /**
   * Returns the inputs of one request as the model takes them.
   *
   * @param request its own, which those that are returned may lie in
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if an input is missing
   *     that others are made of
   */
  public List<NamedTensor> alone(List<NamedTensor> request) {
    var inputs = new ArrayList<NamedTensor>(request.size() + counts.size());
    for (NamedTensor input : request) {
      Tensor tensor = input.tensor();
      inputs.add(
          new NamedTensor(
              input.name(),
              ragged.contains(input.name())
                  ? tensor.borrow(Shape.of(tensor.elementCount()))
                  : tensor.borrow()));
    }
    try {
      complete(inputs, List.of(request), 0);
      return inputs;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(inputs);
      throw e;
    }
  }

  private static Shape shape(List<NamedTensor> request, String source) {
    return request.stream()
        .filter(input -> input.name().equals(source))
        .findFirst()
        .map(input -> input.tensor().shape())
        .orElseThrow(() -> BatchCount.missing(source));
  }

  /**
   * Returns the shape of a request's part of an output.
   *
   * @param request its inputs
   * @param own the shape that the model has given it
   */
  public Shape shape(String output, List<NamedTensor> request, Shape own) {
    Scatter scatter = scattered.get(output);
    return scatter == null ? own : scatter.of(shape(request, scatter.source()));
  }

  @Override
  public boolean fits(List<NamedTensor> outputs, List<PendingRequest> members, int size) {
    return outputs.stream()
        .allMatch(output ->
            scattered.containsKey(output.name())
                ? hasElementsOf(output, members)
                : BatchSplitter.fits(List.of(output), size));
  }

  private boolean hasElementsOf(NamedTensor output, List<PendingRequest> members) {
    Shape own = output.tensor().shape();
    return own.elementCount()
        == members.stream()
            .mapToLong(
                member -> shape(output.name(), member.request().inputs(), own).elementCount())
            .sum();
  }

  @Override
  public Tensor next(String output, SharedTensor whole, PendingRequest member) {
    return scattered.containsKey(output)
        ? whole.next(shape(output, member.request().inputs(), whole.shape()))
        : whole.next(member.rows());
  }
}
