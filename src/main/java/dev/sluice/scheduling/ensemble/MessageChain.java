package dev.sluice.scheduling.ensemble;

import dev.sluice.config.EnsembleConfig;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.RunTimes;
import dev.sluice.inference.ServedModel;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.TensorSpec;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Models one behind the other, at least one of which takes any tensors: own code. Each gets all
 * that the one before it answers, tensors and parameters, so what goes where is only known then. A
 * model that declares its inputs takes the tensors of their names, or all of them in their order
 * where none has such a name.
 *
 * <p>Holds no thread and no queue, as {@link EnsembleScheduler}.
 */
public final class MessageChain implements Scheduler {
  private final String name;
  private final List<EnsembleStep> steps;
  private final ModelMetadata metadata;
  private final DataPlane members;
  private volatile boolean closed;

  private MessageChain(
      String name, List<EnsembleStep> steps, ModelMetadata metadata, DataPlane members) {
    this.name = name;
    this.steps = steps;
    this.metadata = metadata;
    this.members = members;
  }

  /** Whether an ensemble's models hand on messages, and not tensors that are known beforehand. */
  public static boolean fits(
      EnsembleConfig ensemble, Function<ModelSelector, ModelMetadata> members) {
    return ensemble.isChain()
        && ensemble.steps().stream()
            .map(EnsembleGraphBuilder::selector)
            .anyMatch(selector -> members.apply(selector).open());
  }

  /**
   * @param known the metadata of the models
   * @param members finds and asks them
   */
  public static MessageChain of(
      String name,
      EnsembleConfig ensemble,
      Function<ModelSelector, ModelMetadata> known,
      DataPlane members) {
    List<EnsembleStep> steps = new ArrayList<>();
    for (EnsembleConfig.Step step : ensemble.steps()) {
      ModelSelector member = EnsembleGraphBuilder.selector(step);
      steps.add(new EnsembleStep(steps.size() + 1, member, List.of(), List.of()));
    }
    ModelMetadata first = known.apply(steps.getFirst().member());
    ModelMetadata last = known.apply(steps.getLast().member());
    return new MessageChain(name, steps, metadata(first, last), members);
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

  /** Which models it asks. */
  public List<ModelSelector> members() {
    return steps.stream().map(EnsembleStep::member).toList();
  }

  /** The chain as a model. */
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

  /** Nothing waits here: what is under way ends with its steps. */
  @Override
  public void close() {
    closed = true;
  }

  /** One request on its way. On the event loop that asked, but for cancelling. */
  private final class Run {
    private final InferenceRequest request;
    private final Promise<InferenceResponse> answer = Promise.promise();

    /** The run itself, and each of the request's inputs that the first model reads. */
    private final AtomicInteger holders = new AtomicInteger(1);

    private volatile @Nullable InferenceRequest running;

    /**
     * @param request taken over
     */
    Run(InferenceRequest request) {
      this.request = request;
    }

    Future<InferenceResponse> start() {
      request.onCancel(this::cancelRunning);
      ask(0, lentInputs(), request.options());
      return answer.future();
    }

    /** Any thread. */
    private void cancelRunning() {
      InferenceRequest now = running;
      if (now != null) {
        now.cancel();
      }
    }

    private List<NamedTensor> lentInputs() {
      List<NamedTensor> lent = new ArrayList<>(request.inputs().size());
      for (NamedTensor input : request.inputs()) {
        holders.incrementAndGet();
        try (var shared = new SharedTensor(input.tensor(), this::leave)) {
          lent.add(new NamedTensor(input.name(), shared.all()));
        }
      }
      return lent;
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
        part = part(step, inputs, options);
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

    private InferenceRequest part(
        EnsembleStep step, List<NamedTensor> inputs, RequestOptions options) {
      ServedModel member = step.admit(members, request.model().caller());
      try {
        Signature signature = EnsembleGraphBuilder.signature(member.metadata());
        var part =
            new InferenceRequest(
                member,
                signature,
                member.metadata().open() ? inputs : fitting(signature, inputs),
                step.number() == steps.size() ? request.outputs() : List.of(),
                request.deadline(),
                request.requestId(),
                options);
        RunTimes times = request.times();
        if (times != null) {
          part.addTimesTo(times);
        }
        return part;
      } catch (InferenceException e) {
        member.release();
        throw e;
      }
    }

    private void answered(int index, InferenceResponse response) {
      if (index < steps.size() - 1) {
        ask(index + 1, response.outputs(), options(response.parameters()));
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

    private RequestOptions options(Map<String, ParameterValue> said) {
      RequestOptions asked = request.options();
      return new RequestOptions(asked.priority(), asked.timeoutMicros(), asked.sequence(), said);
    }

    private void fail(EnsembleStep step, Throwable failure) {
      leave();
      answer.fail(StepFailures.in(name, step, failure));
    }
  }

  /** Those of the tensors that a model takes, under its names; the others are closed. */
  private static List<NamedTensor> fitting(Signature signature, List<NamedTensor> given) {
    List<NamedTensor> named =
        given.stream().filter(tensor -> signature.input(tensor.name()).isPresent()).toList();
    if (!named.isEmpty()) {
      given.stream().filter(tensor -> !named.contains(tensor)).forEach(NamedTensor::close);
      return named;
    }
    List<TensorSpec> inputs = signature.inputs();
    if (given.size() != inputs.size()) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "it takes %s, but the model before it gives %s"
              .formatted(
                  inputs.stream().map(TensorSpec::name).toList(),
                  given.stream().map(NamedTensor::name).toList()));
    }
    List<NamedTensor> renamed = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      renamed.add(new NamedTensor(inputs.get(i).name(), given.get(i).tensor()));
    }
    return renamed;
  }
}
