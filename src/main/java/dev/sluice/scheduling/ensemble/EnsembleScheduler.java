package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.stream.QueuedStreams;
import dev.sluice.scheduling.stream.StreamScheduler;
import io.vertx.core.Future;
import java.util.concurrent.Flow;

/**
 * Lets a request flow through the models of an ensemble. Holds no thread and no queue: each step is
 * an ordinary request to its model, which admits, queues and joins it as any other.
 */
public final class EnsembleScheduler implements Scheduler, StreamScheduler {
  private final EnsembleGraph graph;
  private final DataPlane members;
  private volatile boolean closed;

  /**
   * @param members finds and runs the steps' models
   */
  public EnsembleScheduler(EnsembleGraph graph, DataPlane members) {
    this.graph = graph;
    this.members = members;
  }

  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    if (closed) {
      request.close();
      return Future.failedFuture(unloading(graph.name()));
    }
    return new EnsembleRun(graph, members, request).start();
  }

  /** Answers by as many responses as its members that answer by streams give. */
  @Override
  public void stream(
      InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
    if (closed) {
      QueuedStreams.refuse(request, subscriber, unloading(graph.name()));
    } else {
      subscriber.onSubscribe(new EnsembleStream(graph, members, request, subscriber));
    }
  }

  /** Returns the error for expired requests. */
  static InferenceException unloading(String model) {
    return new InferenceException(ErrorCode.UNAVAILABLE, "model '" + model + "' is being unloaded");
  }

  /** Closes the scheduler: nothing waits here, and what is in flight ends with its steps. */
  @Override
  public void close() {
    closed = true;
  }
}
