package dev.sluice.inference;

import dev.sluice.tensor.NamedTensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A decoded request: a leased model, its inputs in native memory, and how long the answer is
 * wanted.
 *
 * <p>Owner: owns the tensors and the lease until {@link #close}. {@link DataPlane#infer} takes the
 * whole request over. Made and closed once; only {@link #cancel} may come from another thread at
 * any time.
 */
public final class InferenceRequest implements AutoCloseable {
  private final ModelLease model;
  private final Signature signature;
  private final List<NamedTensor> inputs;
  private final List<String> outputs;
  private final Deadline deadline;
  private final String requestId;
  private final RequestOptions options;

  /** The request whose stream this is a step of. */
  private final @Nullable InferenceRequest whole;

  private static final int OPEN = 0;
  private static final int MODEL_RELEASED = 1;
  private static final int CLOSED = 2;

  private final AtomicInteger state = new AtomicInteger();
  private volatile boolean cancelled;
  private volatile @Nullable Runnable whenCancelled;
  private volatile @Nullable Runnable whenExpired;
  private @Nullable ComposingModelTimes times;
  private @Nullable RequestTrace trace;
  private @Nullable LoopStep loopStep;

  /** A request that says nothing besides its tensors. */
  public InferenceRequest(
      ModelLease model,
      Signature signature,
      List<NamedTensor> inputs,
      List<String> outputs,
      Deadline deadline,
      String requestId) {
    this(model, signature, inputs, outputs, deadline, requestId, RequestOptions.NONE);
  }

  /**
   * @param model leased from {@link DataPlane#find}
   * @param signature one of the model's
   * @param inputs their names are the signature's, each at most once
   * @param outputs names of the wanted outputs in the wanted order; empty for all of them
   * @param deadline when to give up
   * @param requestId for logs
   * @param options what else it says
   */
  public InferenceRequest(
      ModelLease model,
      Signature signature,
      List<NamedTensor> inputs,
      List<String> outputs,
      Deadline deadline,
      String requestId,
      RequestOptions options) {
    this(model, signature, inputs, outputs, deadline, requestId, options, null);
  }

  private InferenceRequest(
      ModelLease model,
      Signature signature,
      List<NamedTensor> inputs,
      List<String> outputs,
      Deadline deadline,
      String requestId,
      RequestOptions options,
      @Nullable InferenceRequest whole) {
    this.whole = whole;
    this.trace = whole == null ? null : whole.trace;
    this.times = whole == null ? null : whole.times;
    this.model = model;
    this.signature = signature;
    this.inputs = List.copyOf(inputs);
    this.outputs = List.copyOf(outputs);
    this.deadline = deadline;
    this.requestId = requestId;
    this.options = options.within(model);
  }

  /**
   * Returns one run of the model for this request's stream: as long wanted as this request, and
   * cancelled with it. It owns its inputs, and nothing else; this request must outlive it.
   *
   * @param inputs taken over
   * @param outputs what to compute, in the wanted order
   */
  public InferenceRequest step(Signature called, List<NamedTensor> inputs, List<String> outputs) {
    return new InferenceRequest(model, called, inputs, outputs, deadline, requestId, options, this);
  }

  /**
   * Returns the same for a step of a generation loop.
   *
   * @param loopStep what schedulers heed of it; null if there is nothing
   */
  public InferenceRequest step(
      Signature called,
      List<NamedTensor> inputs,
      List<String> outputs,
      @Nullable LoopStep loopStep) {
    InferenceRequest step = step(called, inputs, outputs);
    step.loopStep = loopStep;
    return step;
  }

  /** Returns how its rows may be padded; null if they may not. */
  public LoopStep.@Nullable Padding padding() {
    return loopStep instanceof LoopStep.Padding padding ? padding : null;
  }

  /** Returns what it runs of a prompt; null if it runs none. */
  public LoopStep.@Nullable Prefill prefill() {
    return loopStep instanceof LoopStep.Prefill prefill ? prefill : null;
  }

  /** Returns the lease of the model, which the request owns and releases when it is closed. */
  public ModelLease model() {
    return model;
  }

  /** Returns the signature that the request calls. */
  public Signature signature() {
    return signature;
  }

  /** Returns the inputs, which the request owns. Valid until it is closed or handed over. */
  public List<NamedTensor> inputs() {
    return inputs;
  }

  /** Returns the size of the inputs' elements. */
  public long inputBytes() {
    long bytes = 0;
    for (int i = 0; i < inputs.size(); i++) {
      bytes += inputs.get(i).tensor().byteSize();
    }
    return bytes;
  }

  /** Returns the input of this name, owned by the request; null if it has none. */
  public @Nullable NamedTensor input(String name) {
    for (NamedTensor input : inputs) {
      if (input.name().equals(name)) {
        return input;
      }
    }
    return null;
  }

  /** Returns the names of the wanted outputs, in the wanted order; empty for all of them. */
  public List<String> outputs() {
    return outputs;
  }

  /** Returns the time at which the request expires; {@link Deadline#NONE} if it does not. */
  public Deadline deadline() {
    return deadline;
  }

  /** Returns the id that names the request in logs and responses. */
  public String requestId() {
    return requestId;
  }

  /** Returns the parameters of the request besides its tensors. */
  public RequestOptions options() {
    return options;
  }

  /** Has the times of its run added up there too. Before it is handed over. */
  public void addTimesTo(ComposingModelTimes sum) {
    times = sum;
  }

  /**
   * Returns the sum to which the times of its runs are added, besides the model's own statistics.
   */
  public @Nullable ComposingModelTimes times() {
    return times;
  }

  /**
   * Records that a run for it begins, so that a call that ends before its run knows of it. It is
   * over when its times are added, or by {@link #runForgotten}.
   *
   * @param queued when it began to wait
   */
  public void runBegan(long queued, long now) {
    if (times != null) {
      times.runBegan(queued, now);
    }
    if (trace != null) {
      trace.runBegan(queued, now);
    }
  }

  /** Forgets a run that {@link #runBegan}: its times count nowhere. */
  public void runForgotten() {
    if (times != null) {
      times.runForgotten();
    }
    if (trace != null) {
      trace.runForgotten();
    }
  }

  /**
   * Has what becomes of it recorded. Before it is handed over.
   *
   * @param id the caller's name for it; empty if it gave none
   */
  public void traceBy(RequestTrace recording, String id) {
    trace = recording;
    recording.named(id);
    recording.asks(this);
  }

  /**
   * Counts it as a part of the request to a composed model: times of its runs are added up with
   * that one's, and it is recorded below that one, if that one is. Before it is handed over.
   */
  public void belongsTo(InferenceRequest composed) {
    times = composed.times;
    if (composed.trace != null) {
      trace = composed.trace.below();
      trace.asks(this);
    }
  }

  /**
   * Counts it as a run for another request, which it has the times added to and is recorded with.
   * Before it is handed over.
   */
  public void countsFor(InferenceRequest whole) {
    times = whole.times;
    trace = whole.trace;
  }

  /** Returns what records it; null if it was not sampled. */
  public @Nullable RequestTrace trace() {
    return trace;
  }

  /**
   * Returns the same request to the same model, with tensors that its caller does not know of. It
   * takes everything over: this one only passes a cancellation on to the other. What a {@link
   * #step} hands over is a step of the same request: the lease stays that one's.
   *
   * @param signature one of the model's, with the inputs and outputs below
   * @param inputs among them this request's own
   */
  public InferenceRequest handOver(
      Signature signature, List<NamedTensor> inputs, List<String> outputs) {
    var next =
        new InferenceRequest(
            model, signature, inputs, outputs, deadline, requestId, options, whole);
    handOver(List.of(next));
    return next;
  }

  /**
   * Hands everything over to others, and passes a cancellation on to them. The times of all their
   * runs are added up, and the first one is recorded.
   */
  void handOver(List<InferenceRequest> others) {
    others.forEach(other -> other.times = times);
    others.getFirst().trace = trace;
    state.set(CLOSED);
    onCancel(() -> others.forEach(InferenceRequest::cancel));
    onExpiry(() -> others.forEach(InferenceRequest::expire));
    if (isCancelled()) {
      others.forEach(InferenceRequest::cancel);
    }
  }

  /**
   * Returns a request that asks for the same, with another lease and other parameters.
   *
   * @param inputs taken over
   */
  InferenceRequest like(
      ModelLease lease, List<NamedTensor> inputs, Map<String, ParameterValue> parameters) {
    return new InferenceRequest(
        lease, signature, inputs, outputs, deadline, requestId, options.withParameters(parameters));
  }

  /**
   * Cancels the request: if the model has not begun, it never will, and a run without other callers
   * is stopped where the runtime can. Any thread.
   */
  public void cancel() {
    cancelled = true;
    Runnable action = whenCancelled;
    if (action != null) {
      action.run();
    }
  }

  /**
   * Expires the request, whose caller was answered: where it waits, it waits no longer, and a run
   * without other callers is stopped where the runtime can. Any thread.
   */
  public void expire() {
    Runnable action = whenExpired;
    if (action != null) {
      action.run();
    }
  }

  /**
   * Has an action run by {@link #cancel} and by {@link #expire}, on whichever thread calls them. It
   * may be too late for that: look at {@link #isCancelled} afterwards, and at the time.
   */
  public void onAbandoned(Runnable action) {
    onCancel(action);
    onExpiry(action);
  }

  /**
   * Has an action run by {@link #cancel}, on whichever thread cancels. The request may be cancelled
   * already: look at {@link #isCancelled} afterwards.
   */
  public void onCancel(Runnable action) {
    if (whole == null) {
      whenCancelled = action;
    } else {
      whole.onCancel(action);
    }
  }

  private void onExpiry(Runnable action) {
    if (whole == null) {
      whenExpired = action;
    } else {
      whole.onExpiry(action);
    }
  }

  /** Returns whether the caller has cancelled. Once true it stays so; any thread. */
  public boolean isCancelled() {
    return cancelled || (whole != null && whole.isCancelled());
  }

  /**
   * Frees the inputs and releases the model's lease. Idempotent: closing again does nothing. Any
   * thread.
   */
  @Override
  public void close() {
    int before = state.getAndSet(CLOSED);
    if (before != CLOSED) {
      NamedTensor.closeAll(inputs);
      if (before == OPEN && whole == null) {
        model.release();
      }
    }
  }

  /**
   * Gives the model back before the inputs are freed, which a run still reads that nothing waits
   * for. On the event loop that asked.
   */
  public void releaseModel() {
    if (whole != null) {
      whole.releaseModel();
    } else if (state.compareAndSet(OPEN, MODEL_RELEASED)) {
      model.release();
    }
  }
}
