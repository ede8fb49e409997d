package dev.sluice.serving.answers;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.SeveralAnswers;
import dev.sluice.scheduling.stream.Demand;
import dev.sluice.scheduling.stream.StreamScheduler;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Streams of several answers to one prompt as one stream: each response says by an output of its
 * own which answer it is a piece of. What fails one of them ends them all. Backpressure: at most
 * one response of each answer waits for the reader. Of the reader's event loop.
 */
public final class MergedAnswers implements Flow.Subscription {
  /** The number of the answer, from 0: INT64 {@code [1]}. */
  private static final String INDEX = "index";

  private final Flow.Subscriber<? super InferenceResponse> reader;
  private final List<InferenceRequest> requests;
  private final List<Answer> answers = new ArrayList<>();
  private final Queue<Piece> waiting = new ArrayDeque<>();
  private long demand;

  /** Answers whose streams have not ended. */
  private int open;

  /** Answers whose last response has not come. */
  private int unfinished;

  private boolean passing;
  private boolean ended;

  private record Piece(Answer from, InferenceResponse response) {}

  /**
   * @param reader ends once, whatever it is called with afterwards
   * @param requests for each answer one; taken over
   */
  public MergedAnswers(
      Flow.Subscriber<? super InferenceResponse> reader, List<InferenceRequest> requests) {
    this.reader = reader;
    this.requests = List.copyOf(requests);
    this.open = requests.size();
    this.unfinished = requests.size();
  }

  /**
   * Requires that the name of the answer's number is free, if there are several.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the model has such an output itself
   */
  public static void requireIndex(InferenceRequest request, int answers) {
    if (answers > 1 && request.signature().output(INDEX).isPresent()) {
      throw InferenceException.invalid(
          ("parameter \"%s\" is %d; wanted 1 in a stream of model \"%s\", which has an output"
                  + " \"%s\" itself: open a stream for each answer")
              .formatted(SeveralAnswers.PARAMETER, answers, request.model().id().name(), INDEX));
    }
  }

  /** Starts the streams. */
  public void start(StreamScheduler streams) {
    reader.onSubscribe(this);
    for (int i = 0; i < requests.size(); i++) {
      if (ended) {
        requests.get(i).close();
      } else {
        var answer = new Answer(i);
        answers.add(answer);
        streams.stream(requests.get(i), answer);
      }
    }
  }

  @Override
  public void request(long count) {
    demand = Demand.sum(demand, count);
    pass();
  }

  @Override
  public void cancel() {
    if (!ended) {
      ended = true;
      answers.forEach(Answer::cancel);
      waiting.forEach(piece -> piece.response().close());
      waiting.clear();
    }
  }

  private void fail(Throwable failure) {
    if (!ended) {
      cancel();
      reader.onError(failure);
    }
  }

  /** Passes on what the reader has demand for. It may ask for more while it is given something. */
  private void pass() {
    if (passing) {
      return;
    }
    passing = true;
    while (!ended && demand > 0 && !waiting.isEmpty()) {
      Piece piece = waiting.remove();
      demand--;
      piece.from().ask();
      reader.onNext(piece.response());
    }
    passing = false;
    if (!ended && open == 0 && waiting.isEmpty()) {
      ended = true;
      reader.onComplete();
    }
  }

  /** One of the streams. */
  private final class Answer implements Flow.Subscriber<InferenceResponse> {
    private final int index;
    private Flow.@Nullable Subscription stream;

    Answer(int index) {
      this.index = index;
    }

    void ask() {
      if (stream != null) {
        stream.request(1);
      }
    }

    void cancel() {
      if (stream != null) {
        stream.cancel();
      }
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      stream = given;
      if (ended) {
        cancel();
      } else {
        ask();
      }
    }

    @Override
    public void onNext(InferenceResponse response) {
      if (ended) {
        response.close();
        return;
      }
      try {
        waiting.add(new Piece(this, piece(response)));
      } catch (RuntimeException | Error e) {
        response.close();
        fail(e);
        return;
      }
      pass();
    }

    /** Returns the response as a piece of the answer; the last one only if it is that of all. */
    private InferenceResponse piece(InferenceResponse response) {
      Tensor number = Tensor.allocate(DataType.INT64, Shape.of(1));
      number.data().set(ValueLayout.JAVA_LONG, 0, index);
      List<NamedTensor> outputs = new ArrayList<>(response.outputs());
      outputs.add(new NamedTensor(INDEX, number));
      boolean last = response.last() && --unfinished == 0;
      return new InferenceResponse(
          response.model(), response.signature(), outputs, response.parameters(), last);
    }

    @Override
    public void onError(Throwable failure) {
      fail(failure);
    }

    @Override
    public void onComplete() {
      open--;
      pass();
    }
  }
}
