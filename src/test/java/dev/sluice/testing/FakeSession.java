package dev.sluice.testing;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.RunTimeBasis;
import dev.sluice.scheduling.BatchExecutor;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds one to {@code x} and answers {@code y}, and twice {@code x} as {@code doubled}; can be told
 * to wait and to fail.
 */
public final class FakeSession implements ModelSession, BatchExecutor {
  /** Shapes are open. */
  public static final Signature SIGNATURE =
      new Signature(
          Signature.DEFAULT,
          "",
          List.of(new TensorSpec("x", DataType.FP32, Shape.UNKNOWN)),
          List.of(
              new TensorSpec("y", DataType.FP32, Shape.UNKNOWN),
              new TensorSpec("doubled", DataType.FP32, Shape.UNKNOWN)));

  public static final ModelMetadata METADATA =
      new ModelMetadata("fake", Map.of(Signature.DEFAULT, SIGNATURE), true, 0);

  /** A number that no run survives. */
  public static final float POISON = 666;

  private final List<Long> sizes = new CopyOnWriteArrayList<>();
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private volatile @Nullable InferenceException failure;
  private volatile @Nullable Supplier<ModelSession> sharer;
  private volatile boolean joinsRows;
  private volatile RunTimeBasis basis = RunTimeBasis.VALUES;
  private volatile boolean closed;
  private volatile boolean stopped;
  private volatile Runnable task = () -> {};
  private volatile @Nullable Thread thread;
  private final CompletableFuture<String> ended = new CompletableFuture<>();

  /** Holds every run until the latch that is returned is counted down, or it is interrupted. */
  public CountDownLatch hold() {
    gate = new CountDownLatch(1);
    return gate;
  }

  /** What every later run does besides. */
  public void alsoRun(Runnable doing) {
    task = doing;
  }

  /** Says from now on what says how long a run takes. */
  public void setRunTimeBasis(RunTimeBasis other) {
    basis = other;
  }

  @Override
  public RunTimeBasis runTimeBasis() {
    return basis;
  }

  /** Where the last run was, if there was any. */
  public @Nullable Thread thread() {
    return thread;
  }

  /** Lets others share what it has loaded, as far as the server sees, in runs at once. */
  public void shareWith(Supplier<ModelSession> another) {
    sharer = another;
  }

  @Override
  public Optional<ModelSession> share() {
    Supplier<ModelSession> another = sharer;
    return another == null ? Optional.empty() : Optional.of(another.get());
  }

  @Override
  public boolean runsAreIndependent() {
    return sharer != null;
  }

  /** Blocks until a run has begun. */
  public void awaitRun() throws InterruptedException {
    entered.await();
  }

  /** Blocks until a run was interrupted. */
  public void awaitInterrupt() throws InterruptedException {
    interrupted.await();
  }

  /** Ends it by itself, as the death of its process would. */
  public void end(String why) {
    ended.complete(why);
  }

  @Override
  public CompletionStage<String> ended() {
    return ended;
  }

  /** Makes every later run fail; null: none. */
  public void failWith(@Nullable InferenceException why) {
    failure = why;
  }

  /** Makes it a model whose outputs have one row, whatever went in. */
  public void joinRows() {
    joinsRows = true;
  }

  /** How many runs have begun. */
  public int runs() {
    return sizes.size();
  }

  /** The rows of each run that has begun. */
  public List<Long> sizes() {
    return List.copyOf(sizes);
  }

  public boolean isClosed() {
    return closed;
  }

  public boolean isInterrupted() {
    return stopped;
  }

  @Override
  public ModelMetadata metadata() {
    return METADATA;
  }

  @Override
  public List<NamedTensor> run(
      Signature signature,
      List<NamedTensor> inputs,
      List<TensorSpec> outputs,
      Map<String, String> inPlace) {
    return run(signature, inputs, outputs);
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    Tensor x = inputs.getFirst().tensor();
    sizes.add(x.shape().rank() == 0 ? 0 : x.shape().dim(0));
    thread = Thread.currentThread();
    entered.countDown();
    task.run();
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    InferenceException why = failure;
    if (why != null || contains(x, POISON)) {
      throw why == null ? InferenceException.invalid("poison") : why;
    }
    var computed = new ArrayList<NamedTensor>();
    for (TensorSpec output : outputs) {
      computed.add(new NamedTensor(output.name(), compute(x, output.name())));
    }
    return computed;
  }

  private static boolean contains(Tensor x, float wanted) {
    for (float value : Tensors.toFloats(x)) {
      if (value == wanted) {
        return true;
      }
    }
    return false;
  }

  private Tensor compute(Tensor x, String output) {
    if (joinsRows) {
      return Tensors.floats(Shape.of(1), 1f);
    }
    Tensor y = Tensor.allocate(DataType.FP32, x.shape());
    for (long i = 0; i < x.elementCount(); i++) {
      float value = x.data().getAtIndex(ValueLayout.JAVA_FLOAT, i);
      y.data()
          .setAtIndex(ValueLayout.JAVA_FLOAT, i, output.equals("doubled") ? 2 * value : value + 1);
    }
    return y;
  }

  @Override
  public void interrupt() {
    stopped = true;
    gate.countDown();
    interrupted.countDown();
  }

  @Override
  public void resume() {
    stopped = false;
  }

  @Override
  public void close() {
    closed = true;
  }
}
