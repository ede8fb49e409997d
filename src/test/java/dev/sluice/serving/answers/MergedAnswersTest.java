package dev.sluice.serving.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.Tensors;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Streams of several answers as one. Tensors that stay open fail the class. */
class MergedAnswersTest {
  private static final Signature SIGNATURE =
      new Signature(Signature.DEFAULT, "", List.of(), List.of());

  private final FakeModelLease lease =
      new FakeModelLease(
          new ModelId("poet", 1),
          new ModelMetadata("test", Map.of(Signature.DEFAULT, SIGNATURE), true, 0));

  /** A stream of one answer, as a scheduler makes it. */
  private static final class Source implements Flow.Subscription {
    private final Flow.Subscriber<? super InferenceResponse> subscriber;
    private long asked;
    private boolean cancelled;

    Source(InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
      this.subscriber = subscriber;
      request.close();
      subscriber.onSubscribe(this);
    }

    void say(float value, boolean last) {
      subscriber.onNext(
          new InferenceResponse(
              new ModelId("poet", 1),
              SIGNATURE,
              List.of(new NamedTensor("x", Tensors.floats(Shape.of(1), value))),
              Map.of(),
              last));
      if (last) {
        subscriber.onComplete();
      }
    }

    @Override
    public void request(long count) {
      asked += count;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  /** Notes what it is given, as the number of an answer and a value. */
  private static final class Reader implements Flow.Subscriber<InferenceResponse> {
    private final List<String> events = new ArrayList<>();
    private Flow.@Nullable Subscription stream;
    private boolean asksAgain;

    @Override
    public void onSubscribe(Flow.Subscription given) {
      stream = given;
    }

    @Override
    public void onNext(InferenceResponse response) {
      try (response) {
        events.add(
            "%d: %s%s"
                .formatted(
                    response.outputs().getLast().tensor().data().get(ValueLayout.JAVA_LONG, 0),
                    Tensors.toFloats(response.outputs().getFirst().tensor())[0],
                    response.last() ? ", the last" : ""));
      }
      if (asksAgain) {
        ask(1);
        events.add("asked");
      }
    }

    @Override
    public void onError(Throwable failure) {
      events.add(failure.getMessage());
    }

    @Override
    public void onComplete() {
      events.add("over");
    }

    void ask(long count) {
      Objects.requireNonNull(stream).request(count);
    }
  }

  private final Reader reader = new Reader();
  private final List<Source> sources = new ArrayList<>();

  private InferenceRequest request(Signature signature) {
    return new InferenceRequest(
        lease.acquire(), signature, List.of(), List.of(), Deadline.NONE, "r");
  }

  private void start(int answers) {
    List<InferenceRequest> requests =
        IntStream.range(0, answers).mapToObj(_ -> request(SIGNATURE)).toList();
    new MergedAnswers(reader, requests)
        .start((request, subscriber) -> sources.add(new Source(request, subscriber)));
  }

  @Test
  void responsesSayWhichAnswerTheyAreOfAndTheLastOfAllIsTheLast() {
    start(2);
    reader.ask(10);
    sources.get(1).say(1, false);
    sources.get(0).say(2, true);
    sources.get(1).say(3, true);
    assertThat(reader.events).containsExactly("1: 1.0", "0: 2.0", "1: 3.0, the last", "over");
  }

  @Test
  void noMoreThanOneResponseOfEachAnswerWaitsForTheReader() {
    start(2);
    assertThat(sources).extracting(source -> source.asked).containsExactly(1L, 1L);
    sources.get(0).say(1, false);
    sources.get(1).say(2, true);
    assertThat(reader.events).isEmpty();
    reader.ask(1);
    assertThat(reader.events).containsExactly("0: 1.0");
    assertThat(sources.get(0).asked).isEqualTo(2);
    sources.get(0).say(3, true);
    reader.ask(2);
    assertThat(reader.events).endsWith("1: 2.0", "0: 3.0, the last", "over");
  }

  @Test
  void aReaderThatAsksForMoreIsGivenItBehindWhatItIsGivenNow() {
    start(2);
    reader.asksAgain = true;
    sources.get(0).say(1, true);
    sources.get(1).say(2, true);
    reader.ask(1);
    assertThat(reader.events)
        .containsExactly("0: 1.0", "asked", "1: 2.0, the last", "asked", "over");
  }

  @Test
  void oneThatFailsEndsAllAndWhatWaitsIsFreed() {
    start(3);
    sources.get(0).say(1, false);
    sources.get(2).subscriber.onError(new IllegalStateException("the model failed"));
    assertThat(reader.events).containsExactly("the model failed");
    assertThat(sources.get(0).cancelled).isTrue();
    assertThat(sources.get(1).cancelled).isTrue();
    sources.get(1).say(2, true);
    reader.ask(5);
    assertThat(reader.events).hasSize(1);
  }

  @Test
  void aReaderThatLeavesEndsAll() {
    start(2);
    sources.get(0).say(1, false);
    Objects.requireNonNull(reader.stream).cancel();
    assertThat(sources).allMatch(source -> source.cancelled);
    sources.get(1).say(2, true);
    assertThat(reader.events).isEmpty();
  }

  @Test
  void oneThatIsRefusedLetsNoOtherBegin() {
    List<InferenceRequest> requests = List.of(request(SIGNATURE), request(SIGNATURE));
    new MergedAnswers(reader, requests)
        .start((request, subscriber) -> {
          sources.add(new Source(request, subscriber));
          subscriber.onError(new IllegalStateException("too many streams"));
        });
    assertThat(sources).hasSize(1);
    assertThat(reader.events).containsExactly("too many streams");
    assertThat(lease.leases()).isZero();
  }

  @Test
  void aModelWithAnOutputOfThatNameHasOneAnswerInAStream() {
    var numbered =
        new Signature(
            Signature.DEFAULT,
            "",
            List.of(),
            List.of(new TensorSpec("index", DataType.INT64, Shape.of(1))));
    try (InferenceRequest request = request(numbered)) {
      MergedAnswers.requireIndex(request, 1);
      assertThatThrownBy(() -> MergedAnswers.requireIndex(request, 2))
          .hasMessage(
              "parameter \"n\" is 2; wanted 1 in a stream of model \"poet\", which has an output"
                  + " \"index\" itself: open a stream for each answer");
    }
  }
}
