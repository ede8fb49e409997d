package dev.sluice.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.EnsembleConfig.Declaration;
import dev.sluice.config.model.EnsembleConfig.Step;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.Tensors;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members whose names begin with "many" answer by streams; all of them wait to be told. */
class EnsembleStreamTest {
  private final Held members = new Held();
  private final Reader reader = new Reader();
  private @Nullable FakeModelLease ensemble;

  /** Keeps requests until the test answers them. */
  private static final class Held implements DataPlane {
    private static final Signature SIGNATURE =
        new Signature(
            Signature.DEFAULT,
            "",
            List.of(
                new TensorSpec("x", DataType.FP32, Shape.of(-1)),
                new TensorSpec("z", DataType.FP32, Shape.of(-1), true, "z", "FP32")),
            List.of(new TensorSpec("y", DataType.FP32, Shape.of(-1))));

    record Asked(InferenceRequest request, Promise<InferenceResponse> answer) {}

    /** What a member that streams was asked for. */
    static final class Stream implements Flow.Subscription {
      final InferenceRequest request;
      final Flow.Subscriber<? super InferenceResponse> subscriber;
      long wanted;
      boolean cancelled;

      Stream(InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
        this.request = request;
        this.subscriber = subscriber;
      }

      @Override
      public void request(long count) {
        wanted += count;
      }

      @Override
      public void cancel() {
        cancelled = true;
        request.close();
      }
    }

    final Map<String, Asked> asked = new LinkedHashMap<>();
    final Map<String, Stream> streams = new HashMap<>();
    final Map<String, FakeModelLease> lease = new HashMap<>();

    static ModelMetadata metadata(String model) {
      return new ModelMetadata("fake", Map.of(Signature.DEFAULT, SIGNATURE), true, 0)
          .withDecoupled(model.startsWith("many"));
    }

    @Override
    public ModelLookup find(ModelSelector selector, Caller caller, Operation operation) {
      return new ModelLookup.Found(
          lease
              .computeIfAbsent(
                  selector.name(), name -> new FakeModelLease(new ModelId(name, 1), metadata(name)))
              .acquire());
    }

    @Override
    public Future<InferenceResponse> infer(InferenceRequest request) {
      Promise<InferenceResponse> answer = Promise.promise();
      asked.put(request.model().id().name(), new Asked(request, answer));
      return answer.future();
    }

    @Override
    public void inferStream(
        InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
      var stream = new Stream(request, subscriber);
      streams.put(request.model().id().name(), stream);
      subscriber.onSubscribe(stream);
    }

    Stream stream(String model) {
      return Objects.requireNonNull(streams.get(model));
    }

    private static float sum(InferenceRequest request) {
      float sum = 0;
      for (NamedTensor input : request.inputs()) {
        sum += Tensors.toFloats(input.tensor())[0];
      }
      return sum;
    }

    private static InferenceResponse response(InferenceRequest request, float y, boolean last) {
      var output = new NamedTensor("y", Tensors.floats(Shape.of(1), y));
      return new InferenceResponse(
          request.model().id(), SIGNATURE, List.of(output), Map.of(), last);
    }

    /** Answers with the sum of the inputs plus a number, and frees the request as a model does. */
    void answer(String model, float plus) {
      Asked waiting = Objects.requireNonNull(asked.remove(model));
      InferenceResponse response = response(waiting.request(), sum(waiting.request()) + plus, true);
      waiting.request().close();
      waiting.answer().complete(response);
    }

    /** One response more, of the sum of the inputs plus a number. */
    void give(String model, float plus, boolean last) {
      Stream stream = stream(model);
      assertThat(stream.wanted).as("responses asked for").isPositive();
      stream.wanted--;
      stream.subscriber.onNext(response(stream.request, sum(stream.request) + plus, last));
    }

    void end(String model) {
      stream(model).request.close();
      stream(model).subscriber.onComplete();
    }

    void fail(String model, InferenceException why) {
      stream(model).request.close();
      stream(model).subscriber.onError(why);
    }
  }

  /** Keeps what it reads. */
  private static final class Reader implements Flow.Subscriber<InferenceResponse> {
    final List<String> read = new ArrayList<>();
    Flow.@Nullable Subscription subscription;

    void ask(long count) {
      Objects.requireNonNull(subscription).request(count);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
    }

    @Override
    public void onNext(InferenceResponse response) {
      var text = new StringBuilder();
      for (NamedTensor output : response.outputs()) {
        text.append(output.name()).append((int) Tensors.toFloats(output.tensor())[0]).append(' ');
      }
      read.add(text.append(response.last() ? "last" : "").toString().strip());
      response.close();
    }

    @Override
    public void onError(Throwable failure) {
      read.add(failure.getMessage());
    }

    @Override
    public void onComplete() {
      read.add("end");
    }
  }

  @AfterEach
  void nothingIsLeftOpen() {
    assertThat(members.asked).isEmpty();
    assertThat(members.lease.values()).allMatch(model -> model.leases() == 0);
    if (ensemble != null) {
      assertThat(ensemble.leases()).isZero();
    }
  }

  private static Step step(String model, Map<String, String> inputs, String output) {
    return new Step(model, -1, inputs, Map.of("y", output));
  }

  private static EnsembleGraph graph(List<String> outputs, Step... steps) {
    List<Declaration> declared = new ArrayList<>();
    for (String output : outputs) {
      declared.add(new Declaration(output, Optional.empty(), Shape.UNKNOWN, false));
    }
    return EnsembleGraphBuilder.build(
        "e",
        new EnsembleConfig(List.of(steps), List.of(), declared),
        0,
        selector -> Held.metadata(selector.name()));
  }

  /** Before, then many, then behind, which takes what before gave too. */
  private static EnsembleGraph line() {
    return graph(
        List.of("b", "a"),
        step("before", Map.of("x", "in"), "a"),
        step("many", Map.of("x", "a"), "m"),
        step("behind", Map.of("x", "m", "z", "a"), "b"));
  }

  private void start(EnsembleGraph graph, String... outputs) {
    FakeModelLease model = new FakeModelLease(new ModelId("e", 1), graph.metadata());
    ensemble = model;
    new EnsembleScheduler(graph, members)
        .stream(
            new InferenceRequest(
                model.acquire(),
                graph.metadata().signature("").orElseThrow(),
                List.of(new NamedTensor("in", Tensors.floats(Shape.of(1), 1))),
                List.of(outputs),
                Deadline.NONE,
                "id"),
            reader);
  }

  @Test
  void eachResponseGoesThroughTheStepsBehind() {
    assertThat(line().metadata().decoupled()).isTrue();
    start(line());
    assertThat(members.asked).as("nothing begins before it is asked for").isEmpty();
    reader.ask(8);
    members.answer("before", 10);
    members.give("many", 100, false);
    members.answer("behind", 0);
    members.give("many", 200, true);
    members.end("many");
    assertThat(reader.read).containsExactly("b122 a11");
    members.answer("behind", 0);
    assertThat(reader.read).containsExactly("b122 a11", "b222 a11 last", "end");
  }

  @Test
  void responsesKeepTheirOrderAndWaitForEachOther() {
    start(line());
    reader.ask(8);
    members.answer("before", 0);
    members.give("many", 10, false);
    InferenceRequest first = Objects.requireNonNull(members.asked.get("behind")).request();
    members.give("many", 20, false);
    assertThat(members.asked.get("behind").request()).isSameAs(first);
    members.answer("behind", 0);
    members.answer("behind", 0);
    members.end("many");
    assertThat(reader.read).containsExactly("b12 a1", "b22 a1", "end");
  }

  @Test
  void aSlowReaderSlowsTheMember() {
    start(line());
    reader.ask(1);
    members.answer("before", 0);
    assertThat(members.stream("many").wanted).isOne();
    members.give("many", 10, false);
    members.answer("behind", 0);
    assertThat(members.stream("many").wanted).isZero();
    reader.ask(100);
    assertThat(members.stream("many").wanted).as("three ahead").isEqualTo(4);
    members.end("many");
    assertThat(reader.read).containsExactly("b12 a1", "end");
  }

  @Test
  void aStreamOfNoResponsesEnds() {
    start(line());
    reader.ask(1);
    members.answer("before", 0);
    members.end("many");
    assertThat(reader.read).containsExactly("end");
  }

  @Test
  void outputsThatNoStreamLeadsToAreOneResponse() {
    start(line(), "a");
    reader.ask(1);
    members.answer("before", 2);
    assertThat(members.streams).isEmpty();
    assertThat(reader.read).containsExactly("a3 last", "end");
  }

  @Test
  void streamsBehindStreamsAreStreamsOfStreams() {
    start(
        graph(
            List.of("b"),
            step("many", Map.of("x", "in"), "m"),
            step("many2", Map.of("x", "m"), "n"),
            step("behind", Map.of("x", "n", "z", "m"), "b")));
    reader.ask(3);
    members.give("many", 10, false);
    members.give("many2", 100, false);
    members.answer("behind", 0);
    members.give("many2", 200, true);
    members.answer("behind", 0);
    members.end("many2");
    members.give("many", 20, true);
    members.give("many2", 300, true);
    members.end("many");
    members.answer("behind", 0);
    members.end("many2");
    assertThat(reader.read).containsExactly("b122", "b222", "b342 last", "end");
  }

  @Test
  void whatAMemberGaveBeforeItFailedIsRead() {
    start(line());
    reader.ask(8);
    members.answer("before", 0);
    members.give("many", 10, false);
    members.give("many", 20, false);
    members.fail("many", InferenceException.invalid("no more"));
    assertThat(reader.read).isEmpty();
    members.answer("behind", 0);
    members.answer("behind", 0);
    assertThat(reader.read)
        .containsExactly("b12 a1", "b22 a1", "ensemble 'e', step 2 (model 'many'): no more");
  }

  @Test
  void aStepThatFailsBehindEndsTheStream() {
    start(line());
    reader.ask(8);
    members.answer("before", 0);
    members.give("many", 10, false);
    members.give("many", 20, false);
    Held.Asked behind = Objects.requireNonNull(members.asked.remove("behind"));
    behind.request().close();
    behind.answer().fail(InferenceException.invalid("wrong row"));
    assertThat(members.stream("many").cancelled).isTrue();
    assertThat(reader.read).containsExactly("ensemble 'e', step 3 (model 'behind'): wrong row");
  }

  @Test
  void aCancellingReaderCancelsEverything() {
    start(line());
    reader.ask(8);
    members.answer("before", 0);
    members.give("many", 10, false);
    members.give("many", 20, false);
    InferenceRequest behind = Objects.requireNonNull(members.asked.get("behind")).request();
    Objects.requireNonNull(reader.subscription).cancel();
    assertThat(members.stream("many").cancelled).isTrue();
    assertThat(behind.isCancelled()).isTrue();
    members.answer("behind", 0);
    assertThat(reader.read).isEmpty();
  }

  @Test
  void aReaderWhoNeverAskedLeavesNothing() {
    start(line());
    Objects.requireNonNull(reader.subscription).cancel();
    assertThat(members.asked).isEmpty();
    assertThat(reader.read).isEmpty();
  }

  @Test
  void membersThatStreamSideBySideAreRefused() {
    assertThatThrownBy(() ->
            graph(
                List.of("s"),
                step("many", Map.of("x", "in"), "m"),
                step("many2", Map.of("x", "in"), "n"),
                step("sum", Map.of("x", "m", "z", "n"), "s")))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "ensemble 'e': steps 1 (model 'many') and 2 (model 'many2') both answer by streams, and"
                + " neither takes what the other gives; wanted one behind the other");
  }

  @Test
  void anUnloadedEnsembleRefusesStreams() {
    EnsembleGraph graph = line();
    var scheduler = new EnsembleScheduler(graph, members);
    scheduler.close();
    var request =
        new InferenceRequest(
            new FakeModelLease(new ModelId("e", 1), graph.metadata()).acquire(),
            graph.metadata().signature("").orElseThrow(),
            List.of(),
            List.of(),
            Deadline.NONE,
            "id");
    scheduler.stream(request, reader);
    assertThat(reader.read).containsExactly("model 'e' is being unloaded");
    assertThat(ErrorCode.of(EnsembleScheduler.unloading("e"))).isEqualTo(ErrorCode.UNAVAILABLE);
  }
}
