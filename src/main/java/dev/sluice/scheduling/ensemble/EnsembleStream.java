package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.ensemble.EnsembleGraph.Route;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One request for a stream on its way through the steps of a graph. The tensors of each level of
 * {@link StreamLevels} are kept until what runs behind it has ended.
 */
final class EnsembleStream extends StreamedRun {
  private final EnsembleGraph graph;
  private final MemberRequests requests;
  private final Route route;
  private final int[] takers;

  /** The run itself, and each input that is shared. */
  private final AtomicInteger holders = new AtomicInteger(1);

  private @Nullable Scope innermost;

  /**
   * @param request taken over
   */
  EnsembleStream(
      EnsembleGraph graph,
      DataPlane members,
      InferenceRequest request,
      Flow.Subscriber<? super InferenceResponse> subscriber) {
    super(graph.name(), members, request, subscriber);
    this.graph = graph;
    this.requests = new MemberRequests(graph, members, request);
    this.route = graph.routeTo(request.outputs());
    this.takers = route.takers();
  }

  /** The tensors of one level: those of the request, or of one response of a member. */
  private final class Scope {
    private final @Nullable Scope outer = innermost;
    private final int level = outer == null ? 0 : outer.level + 1;
    private final @Nullable SharedTensor[] own = new SharedTensor[graph.tensorCount()];
    private final BitSet begun = new BitSet();

    /** Tensors of its own that are pieces of text without a letter. */
    private final BitSet silent = new BitSet();

    private final @Nullable Feed source;
    private final boolean last;

    /** Steps under way, and one while others are begun. */
    private int running;

    /**
     * @param source what the response is one of; null for the request
     * @param last whether no other response follows
     */
    Scope(@Nullable Feed source, boolean last) {
      this.source = source;
      this.last = last && (outer == null || outer.last);
      innermost = this;
    }

    private @Nullable SharedTensor tensor(int number) {
      return own[number] != null || outer == null ? own[number] : outer.tensor(number);
    }

    private boolean isSilent(int number) {
      if (own[number] != null || outer == null) {
        return silent.get(number);
      }
      return outer.isSilent(number);
    }

    /** No model has anything to say of the empty text with which a stream of text may end. */
    private boolean isReady(EnsembleStep step) {
      for (EnsembleStep.Link input : step.inputs()) {
        int number = input.tensor();
        if (graph.isWritten(number) && (tensor(number) == null || isSilent(number))) {
          return false;
        }
      }
      return true;
    }

    private void own(EnsembleStep step, Tensor tensor, int number) {
      silent.set(number, step.says() && isEmptyText(tensor));
      own[number] = new SharedTensor(tensor);
    }

    /** Goes on with what a step has given, which belongs to this level. */
    private void take(EnsembleStep step, InferenceResponse response) {
      try {
        MemberRequests.requireOutputs(step, response, number -> takers[number] > 0);
      } catch (InferenceException e) {
        response.close();
        fail(step, e);
        return;
      }
      step.distribute(response, (tensor, number) -> own(step, tensor, number));
      run();
    }

    /** Begins what can begin at this level; goes on behind it when all of it has ended. */
    private void run() {
      running++;
      List<EnsembleStep> steps = graph.steps();
      for (int i = 0; i < steps.size() && !isOver(); i++) {
        if (runsHere(i) && !steps.get(i).streams() && !begun.get(i) && isReady(steps.get(i))) {
          begun.set(i);
          run(steps.get(i));
        }
      }
      running--;
      if (running == 0 && !isOver()) {
        goOn();
      }
    }

    private boolean runsHere(int step) {
      return route.has(step) && graph.levels().of(step) == level;
    }

    private void run(EnsembleStep step) {
      InferenceRequest part = request(step);
      if (part != null) {
        running++;
        ask(
            step,
            part,
            response -> {
              running--;
              take(step, response);
            });
      }
    }

    private @Nullable InferenceRequest request(EnsembleStep step) {
      try {
        return requests.of(step, this::tensor, number -> takers[number] > 0);
      } catch (InferenceException e) {
        fail(step, e);
        return null;
      }
    }

    /** All steps of this level have ended but one that answers by a stream: that one, or none. */
    private void goOn() {
      List<EnsembleStep> steps = graph.steps();
      for (int i = 0; i < steps.size(); i++) {
        if (runsHere(i) && steps.get(i).streams() && isReady(steps.get(i))) {
          stream(steps.get(i));
          return;
        }
      }
      emit();
    }

    private void stream(EnsembleStep step) {
      InferenceRequest part = request(step);
      if (part != null) {
        EnsembleStream.this.stream(step, part, new Behind(this, step));
      }
    }

    private void emit() {
      List<String> wanted = graph.wanted(EnsembleStream.this.request().outputs());
      List<NamedTensor> outputs = new ArrayList<>(wanted.size());
      for (String output : wanted) {
        SharedTensor tensor = tensor(graph.outputNumber(output));
        if (tensor != null) {
          outputs.add(requests.output(output, tensor));
        }
      }
      InferenceRequest whole = EnsembleStream.this.request();
      EnsembleStream.this.emit(
          new InferenceResponse(whole.model().id(), whole.signature(), outputs, Map.of(), last));
      end();
    }

    /** Called when nothing runs behind this level any more. */
    private void end() {
      if (isOver()) {
        return;
      }
      innermost = outer;
      close();
      if (source == null) {
        finish();
      } else {
        source.passed();
      }
    }

    private void close() {
      for (int i = 0; i < own.length; i++) {
        SharedTensor tensor = own[i];
        if (tensor != null) {
          own[i] = null;
          tensor.close();
        }
      }
    }
  }

  /** Opens a level for each response of a member. */
  private final class Behind implements Taker {
    private final Scope scope;
    private final EnsembleStep step;

    Behind(Scope scope, EnsembleStep step) {
      this.scope = scope;
      this.step = step;
    }

    @Override
    public void take(InferenceResponse response, Feed feed) {
      new Scope(feed, response.last()).take(step, response);
    }

    @Override
    public void ended() {
      scope.end();
    }
  }

  private static boolean isEmptyText(Tensor tensor) {
    if (tensor.type() != DataType.BYTES || tensor.elementCount() != 1) {
      return false;
    }
    var elements = new BytesElements(tensor);
    return elements.next() && elements.length() == 0;
  }

  @Override
  void begin() {
    var scope = new Scope(null, true);
    for (NamedTensor input : request().inputs()) {
      int number = graph.number(input.name());
      if (takers[number] > 0) {
        holders.incrementAndGet();
        scope.own[number] = new SharedTensor(input.tensor(), this::leave);
      }
    }
    scope.run();
  }

  private void leave() {
    if (holders.decrementAndGet() == 0) {
      request().close();
    }
  }

  @Override
  void release() {
    for (Scope scope = innermost; scope != null; scope = scope.outer) {
      scope.close();
    }
    innermost = null;
    leave();
  }
}
