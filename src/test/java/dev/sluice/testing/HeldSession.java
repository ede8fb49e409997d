package dev.sluice.testing;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ForwardingSession;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A real session whose runs a test holds until it lets them go, and whose inputs it sees. */
public final class HeldSession extends ForwardingSession {
  private static final int OPEN = 1_000_000;

  private final String watched;
  private final Semaphore runs = new Semaphore(OPEN);
  private final List<Shape> shapes = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable Shape> failing = new AtomicReference<>();

  /**
   * @param session taken over
   * @param watched the input whose shapes are kept
   */
  public HeldSession(ModelSession session, String watched) {
    super(session);
    this.watched = watched;
  }

  /** Holds every later run. */
  public void hold() {
    runs.drainPermits();
  }

  /** Lets so many runs go. */
  public void letGo(int count) {
    runs.release(count);
  }

  /** Lets all runs go. */
  public void open() {
    runs.release(OPEN);
  }

  /** Has the next run fail whose watched input has this shape. */
  public void failNext(Shape shape) {
    failing.set(shape);
  }

  /** Waits until a run is held. */
  public void awaitRun() {
    Polling.await("a run is held", runs::hasQueuedThreads);
  }

  /** The watched input's shape in each run that went. */
  public List<Shape> shapes() {
    return List.copyOf(shapes);
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    return run(signature, inputs, outputs, Map.of());
  }

  @Override
  public List<NamedTensor> run(
      Signature signature,
      List<NamedTensor> inputs,
      List<TensorSpec> outputs,
      Map<String, String> inPlace) {
    runs.acquireUninterruptibly();
    Shape shape =
        inputs.stream()
            .filter(input -> input.name().equals(watched))
            .map(input -> input.tensor().shape())
            .findFirst()
            .orElseThrow();
    shapes.add(shape);
    if (Objects.equals(shape, failing.get())) {
      failing.set(null);
      throw new InferenceException(ErrorCode.INTERNAL, "the run fails");
    }
    return session.run(signature, inputs, outputs, inPlace);
  }
}
