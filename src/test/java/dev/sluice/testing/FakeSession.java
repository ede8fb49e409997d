package dev.sluice.testing;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Adds one to {@code x} and answers {@code y}; can be told to wait and to fail. */
public final class FakeSession implements ModelSession {
  private static final Signature SIGNATURE =
      new Signature(
          Signature.DEFAULT,
          "",
          List.of(new TensorSpec("x", DataType.FP32, Shape.of(Shape.ANY))),
          List.of(new TensorSpec("y", DataType.FP32, Shape.of(Shape.ANY))));

  private final AtomicInteger runs = new AtomicInteger();
  private final CountDownLatch entered = new CountDownLatch(1);
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private volatile @Nullable InferenceException failure;
  private volatile boolean closed;

  /** Holds every run until the latch that is returned is counted down. */
  public CountDownLatch hold() {
    gate = new CountDownLatch(1);
    return gate;
  }

  /** Blocks until a run has begun. */
  public void awaitRun() throws InterruptedException {
    entered.await();
  }

  /** Makes every later run fail. */
  public void failWith(InferenceException why) {
    failure = why;
  }

  /** How many runs have begun. */
  public int runs() {
    return runs.get();
  }

  public boolean isClosed() {
    return closed;
  }

  @Override
  public ModelMetadata metadata() {
    return new ModelMetadata("fake", Map.of(Signature.DEFAULT, SIGNATURE), true, 0);
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    runs.incrementAndGet();
    entered.countDown();
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    InferenceException why = failure;
    if (why != null) {
      throw why;
    }
    Tensor x = inputs.getFirst().tensor();
    Tensor y = Tensor.allocate(DataType.FP32, x.shape());
    for (long i = 0; i < x.elementCount(); i++) {
      y.data()
          .setAtIndex(
              ValueLayout.JAVA_FLOAT, i, x.data().getAtIndex(ValueLayout.JAVA_FLOAT, i) + 1);
    }
    return List.of(new NamedTensor("y", y));
  }

  @Override
  public void close() {
    closed = true;
  }
}
