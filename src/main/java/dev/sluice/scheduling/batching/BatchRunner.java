package dev.sluice.scheduling.batching;

import static dev.sluice.telemetry.meter.FailureReason.BACKEND;
import static dev.sluice.telemetry.meter.FailureReason.CANCELED;
import static dev.sluice.telemetry.meter.FailureReason.OTHER;
import static dev.sluice.telemetry.meter.FailureReason.REJECTED;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.LoopStep;
import dev.sluice.inference.RequestTrace;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.BatchExecutor;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.RunMeter;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs batches and decides every member's answer, exactly once. If a joined run fails, its members
 * run one by one, so that only the culprit fails. Used by one worker, except {@link #watch}.
 */
public final class BatchRunner {
  private static final Logger LOG = LoggerFactory.getLogger(BatchRunner.class);

  private final BatchRules rules;
  private final BatchExecutor model;
  private final RunMeter meter;
  private final CircuitBreaker breaker;
  private final LongSupplier nanoTime;
  private final Consumer<PendingRequest> completed;
  private final RunCancellation watch;
  private final CacheBlocks blocks;

  /** When the run under way began, or the last one ended. */
  private long now;

  /** The member that runs alone: a list to use again and again. */
  private final List<PendingRequest> alone = new ArrayList<>(1);

  /**
   * @param meter this runner's own
   * @param breaker learns how runs end
   * @param completed takes each request whose answer was decided, to be delivered
   */
  public BatchRunner(
      BatchRules rules,
      BatchExecutor model,
      RunMeter meter,
      CircuitBreaker breaker,
      LongSupplier nanoTime,
      Consumer<PendingRequest> completed) {
    this.rules = rules;
    this.model = model;
    this.meter = meter;
    this.breaker = breaker;
    this.nanoTime = nanoTime;
    this.completed = completed;
    this.watch = new RunCancellation(model, nanoTime);
    this.blocks = new CacheBlocks(rules);
  }

  /** Returns the cancellation of the run in flight here. Any thread. */
  public RunCancellation watch() {
    return watch;
  }

  /** Returns when the last run ended, or was begun in vain. */
  public long endNanos() {
    return now;
  }

  /** Rejects the abandoned requests of a batch and runs the others. */
  public void run(Batch batch) {
    now = nanoTime.getAsLong();
    for (int i = 0; i < batch.abandoned.size(); i++) {
      PendingRequest abandoned = batch.abandoned.get(i);
      fail(abandoned, abandoned.abandonedInQueue(now), abandonReason(abandoned, REJECTED));
    }
    List<PendingRequest> members = batch.members;
    if (members.size() > 1 && runTogether(members)) {
      return;
    }
    if (members.size() > 1) {
      watch.oneByOne(members);
    }
    for (int i = 0; i < members.size(); i++) {
      runAlone(members.get(i));
    }
    if (members.size() > 1) {
      watch.oneByOne(List.of());
    }
  }

  /** Returns whether the request is abandoned by now, and rejected, before its run. */
  private boolean rejectedAsAbandoned(PendingRequest member) {
    boolean abandoned = member.isAbandoned(now);
    if (abandoned) {
      fail(member, member.abandonedInRun(now), abandonReason(member, OTHER));
    }
    return abandoned;
  }

  /** Returns the same behind its run. */
  private boolean rejectedAsAbandonedInRun(PendingRequest member) {
    boolean abandoned = member.isAbandoned(now);
    if (abandoned) {
      failRun(member, member.abandonedInRun(now), abandonReason(member, OTHER));
    }
    return abandoned;
  }

  /** False if no request was answered. */
  private boolean runTogether(List<PendingRequest> members) {
    try {
      return answered(members);
    } catch (RuntimeException | Error e) {
      InferenceException ended = watch.whyEnded();
      if (ended != null) {
        rejectAll(members, ended);
        return true;
      }
      LOG.atDebug()
          .addKeyValue("model", members.getFirst().request().model().id())
          .addKeyValue("requests", members.size())
          .addKeyValue("reason", e.getMessage())
          .log("a joined run failed; its requests run one by one");
      forget(members);
      return false;
    }
  }

  /** Forgets a run that gave no answers: another one does. */
  private static void forget(List<PendingRequest> members) {
    for (int i = 0; i < members.size(); i++) {
      members.get(i).request().runForgotten();
    }
  }

  /** None of them is run again: the next run might hang as this one did. */
  private void rejectAll(List<PendingRequest> members, InferenceException why) {
    for (int i = 0; i < members.size(); i++) {
      if (!rejectedAsAbandonedInRun(members.get(i))) {
        failRun(members.get(i), why, BACKEND);
      }
    }
  }

  private void runAlone(PendingRequest member) {
    if (rejectedAsAbandoned(member)) {
      return;
    }
    if (watch.isAbandoned()) {
      fail(member, Objects.requireNonNull(watch.whyEnded()), BACKEND);
      return;
    }
    alone.clear();
    alone.add(member);
    try {
      if (!answered(alone)) {
        // Its padding could not be distinguished from its rows. Now that this is known, there is
        // none.
        answered(alone);
      }
    } catch (RuntimeException | Error e) {
      if (!rejectedAsAbandonedInRun(member)) {
        InferenceException why = reason(member, e);
        failRun(member, watch.isAbandoned() ? why : breaker.failed(why), BACKEND);
      }
    }
  }

  private InferenceException reason(PendingRequest member, Throwable thrown) {
    InferenceException ended = watch.whyEnded();
    if (ended != null) {
      return ended;
    }
    return thrown instanceof InferenceException known ? known : failure(member.request(), thrown);
  }

  private static InferenceException failure(InferenceRequest request, Throwable failure) {
    LOG.atError()
        .addKeyValue("request", request.requestId())
        .addKeyValue("model", request.model().id())
        .setCause(failure)
        .log("the model could not be run");
    return new InferenceException(ErrorCode.INTERNAL, "the model failed");
  }

  /** False, and no request was answered, if the model does not keep the rows apart. */
  private boolean answered(List<PendingRequest> members) {
    begin(members);
    int rows = rows(members);
    int size = rows == 0 ? 0 : rules.paddedSize(rows);
    Map<String, String> inPlace = size == 0 ? Map.of() : InPlaceOutputs.of(members);
    if (members.size() == 1 && size == rows && inPlace.isEmpty()) {
      succeed(members.getFirst(), computeAlone(members, size));
      meter.end(now);
      return true;
    }
    return answeredTogether(members, size, inPlace);
  }

  private void begin(List<PendingRequest> members) {
    meter.begin(inferences(members), signature(members).name(), now);
    for (int i = 0; i < members.size(); i++) {
      members.get(i).request().runBegan(members.get(i).sinceNanos(), now);
    }
  }

  private boolean answeredTogether(
      List<PendingRequest> members, int size, Map<String, String> inPlace) {
    StepAlignment.sort(members);
    CacheBlock block = blocks.find(members);
    int ran = block == null ? size : block.size();
    List<NamedTensor> outputs = computeJoined(members, ran, inPlace, block);
    RaggedRows ragged = rules.ragged();
    boolean fits =
        ragged == null ? BatchSplitter.fits(outputs, ran) : ragged.fits(outputs, members, ran);
    if (!fits) {
      NamedTensor.closeAll(outputs);
      forget(members);
      stopJoining(members.getFirst().request(), ran);
      return false;
    }
    List<List<NamedTensor>> shares = BatchSplitter.split(outputs, members, ragged, block);
    for (int i = 0; i < members.size(); i++) {
      succeed(members.get(i), shares.get(i));
    }
    now = nanoTime.getAsLong();
    meter.end(now);
    return true;
  }

  private long inferences(List<PendingRequest> members) {
    long inferences = 0;
    for (int i = 0; i < members.size(); i++) {
      inferences += rules.inferences(members.get(i).request());
    }
    return inferences;
  }

  private static int rows(List<PendingRequest> members) {
    int rows = 0;
    for (int i = 0; i < members.size(); i++) {
      rows += members.get(i).rows();
    }
    return rows;
  }

  /** Without the padding of a step whose neighbours have left it. */
  private List<NamedTensor> computeAlone(List<PendingRequest> members, int size) {
    if (size > 0 && StepAlignment.isPadded(members.getFirst())) {
      return computeJoined(members, size, Map.of(), null);
    }
    InferenceRequest request = members.getFirst().request();
    LoopStep.Prefill prefill = request.prefill();
    List<NamedTensor> late = prefill == null ? null : prefill.late().make();
    if (late == null) {
      return compute(members, request.signature(), request.inputs(), Map.of());
    }
    try {
      return compute(members, request.signature(), late, Map.of());
    } finally {
      NamedTensor.closeAll(late);
    }
  }

  private static Signature signature(List<PendingRequest> members) {
    return members.getFirst().request().signature();
  }

  private List<NamedTensor> computeJoined(
      List<PendingRequest> members,
      int size,
      Map<String, String> inPlace,
      @Nullable CacheBlock block) {
    RaggedRows ragged = rules.ragged();
    Signature shown = signature(members);
    Signature called = ragged == null ? shown : ragged.called(shown);
    List<NamedTensor> inputs =
        block == null ? BatchAssembler.assemble(members, ragged, size) : block.assemble();
    now = nanoTime.getAsLong();
    try {
      return InPlaceOutputs.taken(compute(members, called, inputs, inPlace), inputs, inPlace);
    } finally {
      NamedTensor.closeAll(inputs);
    }
  }

  private List<NamedTensor> compute(
      List<PendingRequest> members,
      Signature called,
      List<NamedTensor> inputs,
      Map<String, String> inPlace) {
    List<TensorSpec> outputs = RequestedOutputs.of(members);
    watch.begin(members, now);
    meter.computing(now);
    boolean abandoned = false;
    List<NamedTensor> results = List.of();
    try {
      results = model.run(called, inputs, outputs, inPlace);
    } finally {
      now = nanoTime.getAsLong();
      meter.computed(now);
      abandoned = watch.end();
      if (!abandoned) {
        breaker.ended();
      }
    }
    if (abandoned) {
      NamedTensor.closeAll(results);
      throw Objects.requireNonNull(watch.whyEnded());
    }
    return results;
  }

  private void stopJoining(InferenceRequest request, int size) {
    if (rules.stopJoining()) {
      LOG.atWarn()
          .addKeyValue("model", request.model().id())
          .addKeyValue("rows", size)
          .log("the model's outputs do not have the rows that went in; requests are not joined");
    }
  }

  private void succeed(PendingRequest member, List<NamedTensor> outputs) {
    if (rejectedAsAbandonedInRun(member)) {
      NamedTensor.closeAll(outputs);
      return;
    }
    InferenceRequest request = member.request();
    RequestTrace trace = request.trace();
    if (trace != null) {
      trace.outputs(outputs);
    }
    meter.answered(
        member.sinceNanos(), rules.inferences(request), member.isStep(), request.times(), trace);
    breaker.answered(meter.computeNanos());
    member.complete(new InferenceResponse(request.model().id(), request.signature(), outputs));
    completed.accept(member);
  }

  private static FailureReason abandonReason(PendingRequest member, FailureReason ifLate) {
    return member.request().isCancelled() ? CANCELED : ifLate;
  }

  private void failRun(PendingRequest member, InferenceException failure, FailureReason reason) {
    meter.failedRun(member.request(), member.sinceNanos(), now);
    fail(member, failure, reason);
  }

  private void fail(PendingRequest member, InferenceException failure, FailureReason reason) {
    meter.failed(reason, member.sinceNanos());
    member.complete(failure);
    completed.accept(member);
  }
}
