package dev.sluice.scheduling.ensemble;

import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.stream.QueuedStreams;
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Models one behind the other, at least one of which takes any tensors: a plugin. Each gets all
 * that the one before it answers, tensors and parameters, so what goes where is only known then. A
 * model that declares its inputs takes the tensors of their names, or all of them in their order
 * where none has such a name.
 *
 * <p>Holds no thread and no queue, as {@link EnsembleScheduler}.
 */
public final class SequentialEnsembleScheduler implements Scheduler, StreamScheduler {
  private final String name;
  private final List<EnsembleStep> steps;
  private final ModelMetadata metadata;
  private final DataPlane members;
  private volatile boolean closed;

  private SequentialEnsembleScheduler(
      String name, List<EnsembleStep> steps, ModelMetadata metadata, DataPlane members) {
    this.name = name;
    this.steps = steps;
    this.metadata = metadata;
    this.members = members;
  }

  /**
   * Returns whether an ensemble's models hand on messages, and not tensors that are known
   * beforehand.
   */
  public static boolean fits(
      EnsembleConfig ensemble, Function<ModelSelector, ModelMetadata> members) {
    return ensemble.isChain()
        && ensemble.steps().stream()
            .map(EnsembleGraphBuilder::selector)
            .anyMatch(selector -> members.apply(selector).open());
  }

  /**
   * @param known the metadata of the models
   * @param members finds and runs them
   */
  public static SequentialEnsembleScheduler of(
      String name,
      EnsembleConfig ensemble,
      Function<ModelSelector, ModelMetadata> known,
      DataPlane members) {
    List<EnsembleStep> steps = new ArrayList<>();
    for (EnsembleConfig.Step step : ensemble.steps()) {
      ModelSelector member = EnsembleGraphBuilder.selector(step);
      boolean streams = known.apply(member).streams();
      steps.add(new EnsembleStep(steps.size() + 1, member, streams, false, List.of(), List.of()));
    }
    ModelMetadata first = known.apply(steps.getFirst().member());
    ModelMetadata last = known.apply(steps.getLast().member());
    boolean decoupled = steps.stream().anyMatch(step -> known.apply(step.member()).decoupled());
    boolean streams = steps.stream().anyMatch(EnsembleStep::streams);
    return new SequentialEnsembleScheduler(
        name, steps, metadata(first, last).withDecoupled(decoupled).withStreams(streams), members);
  }

  /** It takes what the first model takes, and gives what the last one gives. */
  private static ModelMetadata metadata(ModelMetadata first, ModelMetadata last) {
    var signature =
        new Signature(
            Signature.DEFAULT,
            "",
            EnsembleGraphBuilder.signature(first).inputs(),
            EnsembleGraphBuilder.signature(last).outputs());
    return new ModelMetadata(
            EnsembleGraphBuilder.PLATFORM,
            Map.of(signature.name(), signature),
            first.shapesBind(),
            0)
        .withOpen(first.open());
  }

  /** Returns the models of its steps. */
  public List<ModelSelector> members() {
    return steps.stream().map(EnsembleStep::member).toList();
  }

  /** Returns the chain as a model. */
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    if (closed) {
      request.close();
      return Future.failedFuture(EnsembleScheduler.unloading(name));
    }
    return new Run(request).start();
  }

  /** Answers by as many responses as its models that answer by streams give. */
  @Override
  public void stream(
      InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
    if (closed) {
      QueuedStreams.refuse(request, subscriber, EnsembleScheduler.unloading(name));
    } else {
      subscriber.onSubscribe(
          new SequentialEnsembleStream(name, steps, members, request, subscriber));
    }
  }

  /** Closes the scheduler: nothing waits here, and what is in flight ends with its steps. */
  @Override
  public void close() {
    closed = true;
  }

  /** One request on its way. On the event loop that asked, but for cancelling. */
  private final class Run {
    private final InferenceRequest request;
    private final SequentialStepRequests requests;
    private final Promise<InferenceResponse> answer = Promise.promise();

    /** The run itself, and each of the request's inputs that the first model reads. */
    private final AtomicInteger holders = new AtomicInteger(1);

    private volatile @Nullable InferenceRequest running;

    /**
     * @param request taken over
     */
    Run(InferenceRequest request) {
      this.request = request;
      this.requests = new SequentialStepRequests(steps.size(), members, request);
    }

    Future<InferenceResponse> start() {
      request.onCancel(this::cancelRunning);
      ask(0, requests.inputs(holders, this::leave), request.options());
      return answer.future();
    }

    /** Cancels the runs in flight. Any thread. */
    private void cancelRunning() {
      InferenceRequest now = running;
      if (now != null) {
        now.cancel();
      }
    }

    private void leave() {
      if (holders.decrementAndGet() == 0) {
        request.close();
      }
    }

    /**
     * @param inputs taken over
     */
    private void ask(int index, List<NamedTensor> inputs, RequestOptions options) {
      EnsembleStep step = steps.get(index);
      InferenceRequest part;
      try {
        part = requests.of(step, inputs, options);
      } catch (InferenceException e) {
        NamedTensor.closeAll(inputs);
        fail(step, e);
        return;
      }
      running = part;
      if (request.isCancelled()) {
        part.cancel();
      }
      members
          .infer(part)
          .onComplete(response -> answered(index, response), failure -> fail(step, failure));
    }

    private void answered(int index, InferenceResponse response) {
      if (index < steps.size() - 1) {
        ask(index + 1, response.outputs(), requests.options(response.parameters()));
      } else {
        leave();
        answer.complete(
            new InferenceResponse(
                request.model().id(),
                request.signature(),
                response.outputs(),
                response.parameters()));
      }
    }

    private void fail(EnsembleStep step, Throwable failure) {
      leave();
      answer.fail(StepFailures.in(name, step, failure));
    }
  }
}
