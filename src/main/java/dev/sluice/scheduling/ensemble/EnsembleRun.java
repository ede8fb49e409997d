package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.ensemble.EnsembleGraph.Route;
import dev.sluice.scheduling.ensemble.EnsembleStep.Link;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.SharedTensor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/*
 * Who owns what while a request flows
 *
 * Inputs.   They belong to the request, which is closed when the run and the last step that reads
 *           them are done.
 * Tensors.  What a step writes is shared by all who take it. The run keeps a share until each of
 *           them has its own, or the run has failed; the last of all frees the memory.
 * Answer.   It has shares of its own.
 * Failure.  The first one is the answer. Steps under way are cancelled, and what they still bring
 *           is closed. They may be reading then, which is why they have shares.
 */

/**
 * One request on its way through the steps. On the event loop that asked, but for cancelling.
 *
 * <p>A step starts when its last input is there, so independent steps run side by side.
 */
final class EnsembleRun {
  private final EnsembleGraph graph;
  private final DataPlane members;
  private final MemberRequests requests;
  private final InferenceRequest request;
  private final Route route;
  private final Promise<InferenceResponse> answer = Promise.promise();

  /** The tensors that later steps still take. */
  private final @Nullable SharedTensor[] tensors;

  private final int[] takers;

  /** Number of tensors that each step still waits for; -1 once it has begun. */
  private final int[] missing;

  private final Set<InferenceRequest> running = ConcurrentHashMap.newKeySet();

  /** The run itself, and each input that is shared. */
  private final AtomicInteger holders = new AtomicInteger(1);

  private boolean over;

  /**
   * @param request taken over
   */
  EnsembleRun(EnsembleGraph graph, DataPlane members, InferenceRequest request) {
    this.graph = graph;
    this.members = members;
    this.requests = new MemberRequests(graph, members, request);
    this.request = request;
    this.route = graph.routeTo(request.outputs());
    this.takers = route.takers();
    this.tensors = new SharedTensor[graph.tensorCount()];
    this.missing = graph.waits();
  }

  Future<InferenceResponse> start() {
    request.onCancel(this::cancelRunning);
    for (NamedTensor input : request.inputs()) {
      int number = graph.number(input.name());
      if (takers[number] > 0) {
        holders.incrementAndGet();
        tensors[number] = new SharedTensor(input.tensor(), this::leave);
      }
    }
    runReady();
    return answer.future();
  }

  private void leave() {
    if (holders.decrementAndGet() == 0) {
      request.close();
    }
  }

  /** Cancels the runs in flight. Any thread. */
  private void cancelRunning() {
    running.forEach(InferenceRequest::cancel);
  }

  private void runReady() {
    for (int i = 0; i < missing.length && !over; i++) {
      if (missing[i] == 0 && route.has(i)) {
        missing[i] = -1;
        run(graph.steps().get(i));
      }
    }
  }

  private void run(EnsembleStep step) {
    InferenceRequest part;
    try {
      part = requests.of(step, number -> tensors[number], number -> takers[number] > 0);
    } catch (InferenceException e) {
      fail(step, e);
      return;
    }
    step.inputs().forEach(input -> taken(input.tensor()));
    running.add(part);
    if (request.isCancelled()) {
      part.cancel();
    }
    members
        .infer(part)
        .onComplete(
            response -> {
              running.remove(part);
              ended(step, response);
            },
            failure -> {
              running.remove(part);
              fail(step, failure);
            });
  }

  /** Gives the run's own share up once everybody has theirs. */
  private void taken(int number) {
    SharedTensor tensor = tensors[number];
    if (tensor != null && --takers[number] == 0) {
      tensors[number] = null;
      tensor.close();
    }
  }

  private void ended(EnsembleStep step, InferenceResponse response) {
    if (over) {
      response.close();
      return;
    }
    try {
      MemberRequests.requireOutputs(step, response, number -> takers[number] > 0);
    } catch (InferenceException e) {
      response.close();
      fail(step, e);
      return;
    }
    step.distribute(
        response,
        (tensor, number) -> {
          tensors[number] = new SharedTensor(tensor);
          arrived(number);
        });
    runReady();
    finishIfComplete();
  }

  private void arrived(int number) {
    for (int i = 0; i < missing.length; i++) {
      for (Link input : graph.steps().get(i).inputs()) {
        if (input.tensor() == number) {
          missing[i]--;
        }
      }
    }
  }

  /** All steps on the route lead to outputs, so when these are there nothing runs any more. */
  private void finishIfComplete() {
    if (over) {
      return;
    }
    List<String> wanted = graph.wanted(request.outputs());
    for (String output : wanted) {
      if (tensors[graph.outputNumber(output)] == null) {
        return;
      }
    }
    List<NamedTensor> outputs = new ArrayList<>(wanted.size());
    for (String output : wanted) {
      SharedTensor tensor = tensors[graph.outputNumber(output)];
      if (tensor != null) {
        outputs.add(requests.output(output, tensor));
        taken(graph.outputNumber(output));
      }
    }
    end();
    answer.complete(new InferenceResponse(request.model().id(), request.signature(), outputs));
  }

  private void fail(EnsembleStep step, Throwable failure) {
    if (over) {
      return;
    }
    end();
    cancelRunning();
    answer.fail(StepFailures.in(graph.name(), step, failure));
  }

  /** Gives up whatever the run itself holds. */
  private void end() {
    over = true;
    for (int i = 0; i < tensors.length; i++) {
      SharedTensor tensor = tensors[i];
      if (tensor != null) {
        tensors[i] = null;
        tensor.close();
      }
    }
    leave();
  }
}
