package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.RequestOptions;
import dev.sluice.tensor.NamedTensor;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One request for a stream on its way through the models of a {@link SequentialEnsembleScheduler}.
 */
final class SequentialEnsembleStream extends StreamedRun {
  private final List<EnsembleStep> steps;
  private final SequentialStepRequests requests;

  /** The run itself, and each of the request's inputs that the first model reads. */
  private final AtomicInteger holders = new AtomicInteger(1);

  /**
   * @param request taken over
   */
  SequentialEnsembleStream(
      String name,
      List<EnsembleStep> steps,
      DataPlane members,
      InferenceRequest request,
      Flow.Subscriber<? super InferenceResponse> subscriber) {
    super(name, members, request, subscriber);
    this.steps = steps;
    this.requests = new SequentialStepRequests(steps.size(), members, request);
  }

  /**
   * The source of a message.
   *
   * @param feed the stream that it is one of; null for the request
   * @param last whether no other follows
   */
  private record Source(@Nullable Feed feed, boolean last) {}

  @Override
  void begin() {
    ask(0, requests.inputs(holders, this::leave), request().options(), new Source(null, true));
  }

  private void leave() {
    if (holders.decrementAndGet() == 0) {
      request().close();
    }
  }

  @Override
  void release() {
    leave();
  }

  /**
   * @param inputs taken over
   */
  private void ask(int index, List<NamedTensor> inputs, RequestOptions options, Source source) {
    EnsembleStep step = steps.get(index);
    InferenceRequest part;
    try {
      part = requests.of(step, inputs, options);
    } catch (InferenceException e) {
      NamedTensor.closeAll(inputs);
      fail(step, e);
      return;
    }
    if (step.streams()) {
      stream(step, part, new Behind(index, source));
    } else {
      ask(step, part, response -> answered(index, response, source));
    }
  }

  private void answered(int index, InferenceResponse response, Source source) {
    if (index < steps.size() - 1) {
      RequestOptions options = requests.options(response.parameters());
      ask(index + 1, response.outputs(), options, source);
      return;
    }
    emit(
        new InferenceResponse(
            request().model().id(),
            request().signature(),
            response.outputs(),
            response.parameters(),
            source.last()));
    passed(source);
  }

  private void passed(Source source) {
    if (isOver()) {
      return;
    }
    if (source.feed() == null) {
      finish();
    } else {
      source.feed().passed();
    }
  }

  /** Asks the next model for each response of one. */
  private final class Behind implements Taker {
    private final int index;
    private final Source source;

    Behind(int index, Source source) {
      this.index = index;
      this.source = source;
    }

    @Override
    public void take(InferenceResponse response, Feed feed) {
      answered(index, response, new Source(feed, source.last() && response.last()));
    }

    @Override
    public void ended() {
      passed(source);
    }
  }
}
