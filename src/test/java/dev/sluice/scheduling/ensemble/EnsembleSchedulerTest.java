package dev.sluice.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.EnsembleConfig;
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
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.Tensors;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The diamond a -> left, a -> right, left and right -> sum, of models that wait to be told. */
class EnsembleSchedulerTest {
  private static final Shape ROW = Shape.of(-1);

  private final Held members = new Held();
  private final EnsembleGraph graph =
      EnsembleGraphBuilder.build("e", diamond(), 0, _ -> Held.METADATA);
  private final EnsembleScheduler scheduler = new EnsembleScheduler(graph, members);
  private final FakeModelLease ensemble = new FakeModelLease(new ModelId("e", 1), graph.metadata());

  private static EnsembleConfig diamond() {
    return new EnsembleConfig(
        List.of(
            new Step("left", -1, Map.of("x", "a"), Map.of("y", "l")),
            new Step("right", -1, Map.of("x", "a"), Map.of("y", "r")),
            new Step("sum", -1, Map.of("x", "l", "z", "r"), Map.of("y", "s"))),
        List.of(),
        List.of(
            new EnsembleConfig.Declaration("s", java.util.Optional.empty(), Shape.UNKNOWN, false),
            new EnsembleConfig.Declaration("l", java.util.Optional.empty(), Shape.UNKNOWN, false)));
  }

  /** Keeps requests until they are answered by the test. */
  private static final class Held implements DataPlane {
    private static final Signature SIGNATURE =
        new Signature(
            Signature.DEFAULT,
            "",
            List.of(
                new TensorSpec("x", DataType.FP32, ROW),
                new TensorSpec("z", DataType.FP32, ROW, true, "z", "FP32")),
            List.of(new TensorSpec("y", DataType.FP32, ROW)));

    static final ModelMetadata METADATA =
        new ModelMetadata("fake", Map.of(Signature.DEFAULT, SIGNATURE), true, 0);

    record Asked(InferenceRequest request, Promise<InferenceResponse> answer) {}

    final Map<String, Asked> asked = new LinkedHashMap<>();
    final Map<String, FakeModelLease> lease = new LinkedHashMap<>();
    ModelMetadata metadata = METADATA;
    String abandoned = "";

    @Override
    public ModelLookup find(ModelSelector selector, Caller caller, Operation operation) {
      if (selector.name().equals(abandoned)) {
        return new ModelLookup.UnknownModel(abandoned);
      }
      return new ModelLookup.Found(
          lease
              .computeIfAbsent(
                  selector.name(), name -> new FakeModelLease(new ModelId(name, 1), metadata))
              .acquire());
    }

    @Override
    public Future<InferenceResponse> infer(InferenceRequest request) {
      Promise<InferenceResponse> answer = Promise.promise();
      asked.put(request.model().id().name(), new Asked(request, answer));
      return answer.future();
    }

    InferenceRequest request(String model) {
      return Objects.requireNonNull(asked.get(model)).request();
    }

    /** Answers with the sum of the inputs plus a number, and frees the request as a model does. */
    void answer(String model, float plus) {
      Asked waiting = Objects.requireNonNull(asked.remove(model));
      float sum = plus;
      for (NamedTensor input : waiting.request().inputs()) {
        sum += Tensors.toFloats(input.tensor())[0];
      }
      Tensor y = Tensors.floats(Shape.of(1), sum);
      var response =
          new InferenceResponse(
              waiting.request().model().id(), SIGNATURE, List.of(new NamedTensor("y", y)));
      waiting.request().close();
      waiting.answer().complete(response);
    }

    void fail(String model, InferenceException why) {
      Asked waiting = Objects.requireNonNull(asked.remove(model));
      waiting.request().close();
      waiting.answer().fail(why);
    }
  }

  @AfterEach
  void nothingIsLeftOpen() {
    assertThat(members.asked).isEmpty();
    assertThat(ensemble.leases()).isZero();
    assertThat(members.lease.values()).allMatch(model -> model.leases() == 0);
  }

  private InferenceRequest request(String... outputs) {
    return new InferenceRequest(
        ensemble.acquire(),
        graph.metadata().signature("").orElseThrow(),
        List.of(new NamedTensor("a", Tensors.floats(Shape.of(1), 1))),
        List.of(outputs),
        Deadline.after(Duration.ofMinutes(1), 5),
        "id",
        RequestOptions.ofPriority(3));
  }

  private static Throwable failure(Future<InferenceResponse> answer) {
    assertThat(answer.failed()).isTrue();
    return answer.cause();
  }

  @Test
  void branchesRunAtTheSameTimeAndTheAnswerHasEveryOutput() {
    Future<InferenceResponse> answer = scheduler.submit(request());
    assertThat(members.asked.keySet()).containsExactly("left", "right");
    members.answer("right", 10);
    assertThat(members.asked.keySet()).containsExactly("left");
    members.answer("left", 100);
    members.answer("sum", 0);
    try (InferenceResponse response = answer.result()) {
      assertThat(response.model()).isEqualTo(new ModelId("e", 1));
      assertThat(names(response)).containsExactly("s", "l");
      assertThat(Tensors.toFloats(response.outputs().get(0).tensor())).containsExactly(112);
      assertThat(Tensors.toFloats(response.outputs().get(1).tensor())).containsExactly(101);
    }
  }

  private static List<String> names(InferenceResponse response) {
    return response.outputs().stream().map(NamedTensor::name).toList();
  }

  @Test
  void tensorsArePassedOnWithoutACopy() {
    InferenceRequest request = request();
    long address = request.inputs().getFirst().tensor().data().address();
    Future<InferenceResponse> answer = scheduler.submit(request);
    for (String branch : List.of("left", "right")) {
      Tensor given = members.request(branch).inputs().getFirst().tensor();
      assertThat(given.data().address()).isEqualTo(address);
    }
    members.answer("left", 0);
    members.answer("right", 0);
    members.answer("sum", 0);
    answer.result().close();
  }

  @Test
  void stepsHaveTheDeadlineTheOptionsAndTheIdOfTheRequest() {
    InferenceRequest request = request();
    Future<InferenceResponse> answer = scheduler.submit(request);
    assertThat(members.request("left").deadline()).isEqualTo(request.deadline());
    assertThat(members.request("left").options()).isEqualTo(request.options());
    assertThat(members.request("left").requestId()).isEqualTo("id");
    members.answer("left", 0);
    members.answer("right", 0);
    members.answer("sum", 0);
    answer.result().close();
  }

  @Test
  void onlyStepsThatLeadToWantedOutputsRun() {
    Future<InferenceResponse> answer = scheduler.submit(request("l"));
    assertThat(members.asked.keySet()).containsExactly("left");
    members.answer("left", 1);
    try (InferenceResponse response = answer.result()) {
      assertThat(names(response)).containsExactly("l");
    }
  }

  @Test
  void theAnswerOutlivesTheStepsThatShareIt() {
    Future<InferenceResponse> answer = scheduler.submit(request("l", "s"));
    members.answer("left", 1);
    members.answer("right", 1);
    members.answer("sum", 1);
    try (InferenceResponse response = answer.result()) {
      assertThat(Tensors.toFloats(response.outputs().getFirst().tensor())).containsExactly(2);
    }
  }

  @Test
  void aFailureNamesItsStepAndCancelsTheOthers() {
    Future<InferenceResponse> answer = scheduler.submit(request());
    InferenceRequest left = members.request("left");
    members.fail("right", InferenceException.invalid("no such row"));
    assertThat(failure(answer))
        .hasMessage("ensemble 'e', step 2 (model 'right'): no such row")
        .extracting(ErrorCode::of)
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(left.isCancelled()).isTrue();
    assertThat(Tensors.toFloats(left.inputs().getFirst().tensor())).containsExactly(1);
    members.answer("left", 0);
  }

  @Test
  void overloadOfAMemberSaysWhenToTryAgain() {
    Future<InferenceResponse> answer = scheduler.submit(request("l"));
    members.fail("left", InferenceException.busy("full", Duration.ofSeconds(7)));
    assertThat(((InferenceException) failure(answer)).retryAfter())
        .isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void anUnloadedMemberMakesTheEnsembleUnavailable() {
    members.abandoned = "right";
    Future<InferenceResponse> answer = scheduler.submit(request());
    assertThat(failure(answer))
        .hasMessage("ensemble 'e', step 2 (model 'right'): model 'right' takes no requests now");
    members.answer("left", 0);
  }

  @Test
  void cancellingReachesEveryStep() {
    InferenceRequest request = request();
    Future<InferenceResponse> answer = scheduler.submit(request);
    List<InferenceRequest> steps = new ArrayList<>();
    members.asked.values().forEach(asked -> steps.add(asked.request()));
    request.cancel();
    assertThat(steps).hasSize(2).allMatch(InferenceRequest::isCancelled);
    members.answer("left", 0);
    members.answer("right", 0);
    assertThat(members.request("sum").isCancelled()).isTrue();
    members.fail("sum", new InferenceException(ErrorCode.CANCELLED, "the caller left"));
    assertThat(ErrorCode.of(failure(answer))).isEqualTo(ErrorCode.CANCELLED);
  }

  @Test
  void shapesThatAreOnlyHintsChangeNoTensor() {
    var signature =
        new Signature(
            Signature.DEFAULT,
            "",
            List.of(new TensorSpec("x", DataType.FP32, Shape.of(-1, -1))),
            List.of(new TensorSpec("y", DataType.FP32, Shape.SCALAR)));
    var hinted = new ModelMetadata("fake", Map.of(Signature.DEFAULT, signature), false, 0);
    var config =
        new EnsembleConfig(
            List.of(new Step("left", -1, Map.of("x", "a"), Map.of("y", "l"))),
            List.of(),
            List.of());
    EnsembleGraph chain = EnsembleGraphBuilder.build("e", config, 0, _ -> hinted);
    members.metadata = hinted;
    var request =
        new InferenceRequest(
            new FakeModelLease(new ModelId("e", 1), chain.metadata()).acquire(),
            chain.metadata().signature("").orElseThrow(),
            List.of(new NamedTensor("a", Tensors.floats(Shape.of(1), 1))),
            List.of(),
            Deadline.NONE,
            "id");
    Future<InferenceResponse> answer = new EnsembleScheduler(chain, members).submit(request);
    assertThat(members.request("left").inputs().getFirst().tensor().shape()).isEqualTo(Shape.of(1));
    members.answer("left", 1);
    try (InferenceResponse response = answer.result()) {
      assertThat(response.outputs().getFirst().tensor().shape()).isEqualTo(Shape.of(1));
    }
  }

  @Test
  void whatIsUnloadedRefuses() {
    scheduler.close();
    assertThat(ErrorCode.of(failure(scheduler.submit(request())))).isEqualTo(ErrorCode.UNAVAILABLE);
  }
}
