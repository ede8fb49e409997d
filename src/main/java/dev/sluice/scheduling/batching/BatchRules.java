package dev.sluice.scheduling.batching;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.LoopStep;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests of one model are joined into a batch by their rows, and in which sizes it
 * runs. Any thread.
 */
public final class BatchRules implements JoinRules {
  /** Tensors of more dimensions are not padded, as under TensorFlow Serving. */
  private static final int MOST_PADDED_RANK = 6;

  private final int largest;
  private final long largestBytes;
  private final List<Integer> allowedSizes;
  private final boolean pads;
  private final boolean firstIsBatch;

  /** Signatures whose rows may be joined. A request's signature is one of the model's. */
  private final Set<Signature> joinable = Collections.newSetFromMap(new IdentityHashMap<>());

  private final Map<String, String> obstacles = new TreeMap<>();

  private final AtomicBoolean joins;

  /** How rows of different lengths run together; null if they do not. */
  private final @Nullable RaggedRows ragged;

  /** Requests are joined whose rows are alike. */
  public BatchRules(BatchingConfig config, ModelMetadata model) {
    this(config, model, null);
  }

  /**
   * @param ragged how rows of different lengths run together; null if they do not
   */
  public BatchRules(BatchingConfig config, ModelMetadata model, @Nullable RaggedRows ragged) {
    this.ragged = ragged;
    this.largest = config.maxBatchSize();
    this.largestBytes = config.maxBatchBytes() == 0 ? Long.MAX_VALUE : config.maxBatchBytes();
    this.allowedSizes = config.allowedBatchSizes();
    this.pads = config.padVariableLengthInputs();
    this.firstIsBatch = model.maxBatchSize() > 0;
    this.joins = new AtomicBoolean(config.joined());
    for (Signature signature : model.signatures().values()) {
      Optional<String> obstacle = DeclaredRows.obstacle(signature);
      if (obstacle.isEmpty()) {
        joinable.add(signature);
      } else if (config.joined()) {
        obstacles.put(signature.name(), obstacle.get());
      }
    }
  }

  /**
   * Returns why requests run alone although the settings want them joined, by the signatures that
   * this holds for.
   */
  public Map<String, String> obstacles() {
    return obstacles;
  }

  @Override
  public boolean joins() {
    return joins.get();
  }

  /** Returns the model turned out not to keep rows apart. False if that is known already. */
  boolean stopJoining() {
    return joins.getAndSet(false);
  }

  @Override
  public int largest() {
    return largest;
  }

  /** Returns how rows of different lengths run together; null if they do not. */
  @Nullable RaggedRows ragged() {
    return ragged;
  }

  @Override
  public RowSize size(InferenceRequest request) {
    return ragged == null ? RowSize.fixed(request) : ragged.size(request);
  }

  @Override
  public boolean isNear(Batch batch, RowSize size) {
    return ragged == null || ragged.isNear(batch, size);
  }

  @Override
  public boolean fits(Batch batch, int more, RowSize size) {
    int rows = batch.rows + more;
    return rows <= largest
        && batch.bytesWith(size) <= largestBytes
        && (ragged == null || ragged.fits(batch, rows, size));
  }

  @Override
  public int rows(InferenceRequest request) {
    List<NamedTensor> inputs = request.inputs();
    if (!joins() || inputs.isEmpty() || !joinable.contains(request.signature())) {
      return 0;
    }
    LoopStep.Prefill prefill = request.prefill();
    if (prefill != null && prefill.behindCache()) {
      return 0;
    }
    long rows = rows(inputs.getFirst());
    for (int i = 1; i < inputs.size(); i++) {
      if (rows(inputs.get(i)) != rows) {
        return 0;
      }
    }
    return rows <= largest() && isAdmitted(request, rows) ? (int) rows : 0;
  }

  private boolean isAdmitted(InferenceRequest request, long rows) {
    return ragged == null || ragged.admits(request, rows);
  }

  /**
   * Returns how many inferences a request counts as: its rows, if the model is known to have any.
   */
  long inferences(InferenceRequest request) {
    return firstIsBatch && !request.inputs().isEmpty()
        ? Math.max(1, rows(request.inputs().getFirst()))
        : 1;
  }

  private static long rows(NamedTensor input) {
    Shape shape = input.tensor().shape();
    return shape.rank() == 0 ? 0 : shape.dim(0);
  }

  /**
   * Returns whether two requests that have rows may run together: a row of one is like one of the
   * other, or will be once it is padded, behind its elements or, in a decode step, on the side that
   * its model has proved.
   */
  @Override
  public boolean join(InferenceRequest one, InferenceRequest other) {
    List<NamedTensor> inputs = one.inputs();
    if (!one.signature().equals(other.signature()) || inputs.size() != other.inputs().size()) {
      return false;
    }
    LoopStep.Padding padding = one.padding();
    if (!canBePadded(padding, other.padding())) {
      return false;
    }
    for (int i = 0; i < inputs.size(); i++) {
      NamedTensor input = inputs.get(i);
      NamedTensor match = input(other, input.name(), i);
      if (match == null
          || input.tensor().type() != match.tensor().type()
          || !haveRowsThatJoin(input, match.tensor().shape(), padding)) {
        return false;
      }
    }
    return ragged == null || ragged.areNear(one, other);
  }

  /** Returns whether both are padded in the same way, or neither is. */
  private static boolean canBePadded(
      LoopStep.@Nullable Padding one, LoopStep.@Nullable Padding other) {
    if (one == null || other == null) {
      return one == null && other == null;
    }
    return one.joins(other);
  }

  private boolean haveRowsThatJoin(
      NamedTensor input, Shape other, LoopStep.@Nullable Padding padding) {
    if (ragged != null) {
      return ragged.haveRowsThatJoin(input, other);
    }
    int axis = padding == null ? 0 : padding.axis(input.name());
    Shape shape = input.tensor().shape();
    return axis > 0 ? shape.hasRowsLike(other, axis) : haveRowsThatJoin(shape, other);
  }

  private boolean haveRowsThatJoin(Shape one, Shape other) {
    return pads
        ? one.rank() == other.rank() && one.rank() <= MOST_PADDED_RANK
        : one.hasRowsLike(other);
  }

  /** Requests of one kind mostly name their inputs in the same order. */
  private static @Nullable NamedTensor input(InferenceRequest request, String name, int likely) {
    NamedTensor there = request.inputs().get(likely);
    return there.name().equals(name) ? there : request.input(name);
  }

  /** Returns the size that so many rows are run in. */
  int paddedSize(int rows) {
    if (joins()) {
      for (int allowed : allowedSizes) {
        if (allowed >= rows) {
          return allowed;
        }
      }
    }
    return rows;
  }
}
