package dev.sluice.scheduling.caching;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.Tensors;
import io.vertx.core.Future;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResponseCacheTest {
  private final ResponseCache cache = new ResponseCache(4_000, System::nanoTime);
  private final Adding adding = new Adding();
  private final FakeModelLease lease =
      new FakeModelLease(new ModelId("m", 1), FakeSession.METADATA);
  private final VersionMeter meter = Telemetry.unseen().version(lease.id());
  private List<Long> members = List.of(1L, 2L);
  private final CachingScheduler scheduler = cache.before(adding, meter, () -> members, true);
  private long blocksBefore;

  /** Adds one to each number, at once. */
  private static final class Adding implements Scheduler {
    int runs;
    boolean fails;
    Runnable meanwhile = () -> {};

    @Override
    public Future<InferenceResponse> submit(InferenceRequest request) {
      runs++;
      meanwhile.run();
      try (request) {
        if (fails) {
          return Future.failedFuture(InferenceException.invalid("no"));
        }
        float[] x = Tensors.toFloats(request.inputs().getFirst().tensor());
        for (int i = 0; i < x.length; i++) {
          x[i]++;
        }
        List<String> wanted =
            request.outputs().isEmpty() ? List.of("y", "doubled") : request.outputs();
        List<NamedTensor> outputs =
            wanted.stream()
                .map(name -> new NamedTensor(name, Tensors.floats(Shape.of(x.length), x)))
                .toList();
        return Future.succeededFuture(
            new InferenceResponse(request.model().id(), request.signature(), outputs));
      }
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void count() {
    blocksBefore = TensorMemory.openBlocks();
  }

  @AfterEach
  void nothingIsLeftOpen() {
    scheduler.close();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
    assertThat(lease.leases()).isZero();
  }

  private InferenceRequest request(RequestOptions options, List<String> outputs, float... x) {
    return new InferenceRequest(
        lease.acquire(),
        FakeSession.SIGNATURE,
        List.of(new NamedTensor("x", Tensors.floats(Shape.of(x.length), x))),
        outputs,
        Deadline.NONE,
        "id",
        options);
  }

  private float[] ask(float... x) {
    return ask(request(RequestOptions.NONE, List.of(), x));
  }

  private float[] ask(InferenceRequest request) {
    try (InferenceResponse response = scheduler.submit(request).result()) {
      return Tensors.toFloats(response.outputs().getFirst().tensor());
    }
  }

  @Test
  void theSameInputsAreAnsweredOnce() {
    assertThat(ask(1, 2)).containsExactly(2, 3);
    assertThat(ask(1, 2)).containsExactly(2, 3);
    assertThat(adding.runs).isEqualTo(1);
    assertThat(meter.statistics().requests().cacheHit().count()).isEqualTo(1);
    assertThat(meter.statistics().requests().cacheMiss().count()).isEqualTo(1);
  }

  /** Pairs of bytes that count alike in a polynomial of 31: 0, 31 and 1, 0. */
  @Test
  void requestsMadeToCollideHaveDifferentHashes() {
    float[] alike = {Float.intBitsToFloat(31 << 8), Float.intBitsToFloat(1)};
    int numbers = 12;
    Set<Integer> guessable = new HashSet<>();
    Set<Integer> hashes = new HashSet<>();
    for (int i = 0; i < 1 << numbers; i++) {
      float[] x = new float[numbers];
      for (int at = 0; at < numbers; at++) {
        x[at] = alike[i >> at & 1];
      }
      try (InferenceRequest request = request(RequestOptions.NONE, List.of(), x)) {
        guessable.add(
            Arrays.hashCode(
                request.inputs().getFirst().tensor().data().toArray(ValueLayout.JAVA_BYTE)));
        hashes.add(requireNonNull(RequestKey.of(1, members, true, request)).hashCode());
      }
    }
    assertThat(guessable).hasSize(1);
    assertThat(hashes).hasSizeGreaterThan((1 << numbers) - 8);
  }

  @Test
  void otherInputsShapesAndOutputsAreOtherQuestions() {
    ask(1, 2);
    ask(1, 3);
    ask(1, 2, 0);
    assertThat(adding.runs).isEqualTo(3);
  }

  private List<String> outputs(String... wanted) {
    try (InferenceResponse response =
        scheduler.submit(request(RequestOptions.NONE, List.of(wanted), 7)).result()) {
      return response.outputs().stream().map(NamedTensor::name).toList();
    }
  }

  @Test
  void whoWantsSomeOutputsIsServedByAnAnswerThatHasAll() {
    assertThat(outputs()).containsExactly("y", "doubled");
    assertThat(outputs("doubled")).containsExactly("doubled");
    assertThat(outputs("doubled", "y")).containsExactly("doubled", "y");
    assertThat(adding.runs).isEqualTo(1);
  }

  @Test
  void anAnswerWithSomeOutputsServesNobodyWhoWantsOthers() {
    assertThat(outputs("y")).containsExactly("y");
    assertThat(outputs("y")).containsExactly("y");
    assertThat(adding.runs).isEqualTo(1);
    assertThat(outputs("doubled")).containsExactly("doubled");
    assertThat(outputs()).containsExactly("y", "doubled");
    assertThat(adding.runs).isEqualTo(3);
  }

  @Test
  void aPriorityChangesNothingAndParametersAndSequencesDo() {
    ask(1);
    ask(request(RequestOptions.ofPriority(2), List.of(), 1));
    assertThat(adding.runs).isEqualTo(1);
    var parameters =
        new RequestOptions(
            0, SequenceStep.NONE, Map.of("k", (ParameterValue) new ParameterValue.Text("v")));
    ask(request(parameters, List.of(), 1));
    ask(request(parameters, List.of(), 1));
    assertThat(adding.runs).isEqualTo(3);
  }

  @Test
  void parametersChangeNothingForAModelThatDoesNotHeedThem() {
    var parameters =
        new RequestOptions(
            0, SequenceStep.NONE, Map.of("k", (ParameterValue) new ParameterValue.Text("v")));
    CachingScheduler heedless = cache.before(adding, meter, () -> members, false);
    heedless.submit(request(RequestOptions.NONE, List.of(), 1)).result().close();
    heedless.submit(request(parameters, List.of(), 1)).result().close();
    heedless.close();
    assertThat(adding.runs).isEqualTo(1);
  }

  @Test
  void aNewLoadOfAMemberMakesEverythingAnotherQuestion() {
    ask(1);
    members = List.of(1L, 3L);
    ask(1);
    assertThat(adding.runs).isEqualTo(2);
    members = List.of(1L, 2L);
    ask(1);
    assertThat(adding.runs).isEqualTo(2);
  }

  @Test
  void whatWasAnsweredWhileAMemberChangedIsNotKept() {
    adding.meanwhile = () -> members = List.of(1L, 3L);
    ask(1);
    adding.meanwhile = () -> {};
    members = List.of(1L, 2L);
    ask(1);
    members = List.of(1L, 3L);
    ask(1);
    assertThat(adding.runs).isEqualTo(3);
  }

  @Test
  void failuresAreNotKept() {
    adding.fails = true;
    assertThat(scheduler.submit(request(RequestOptions.NONE, List.of(), 1)).failed()).isTrue();
    adding.fails = false;
    assertThat(ask(1)).containsExactly(2);
  }

  @Test
  void whatIsKeptStaysWithinItsBounds() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(ask(i)).containsExactly(i + 1);
    }
    assertThat(TensorMemory.openBlocks() - blocksBefore).isBetween(1L, 40L);
  }

  @Test
  void anAnswerThatIsTooLargeIsNotKept() {
    ask(new float[2_000]);
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  @Test
  void anAnswerOutlivesItsEviction() {
    ask(1);
    try (InferenceResponse response =
        scheduler.submit(request(RequestOptions.NONE, List.of(), 1)).result()) {
      scheduler.close();
      assertThat(Tensors.toFloats(response.outputs().getFirst().tensor())).containsExactly(2);
    }
  }

  @Test
  void anAnswerThatArrivesAfterItsModelIsUnloadedIsNotKept() {
    adding.meanwhile = scheduler::close;
    assertThat(ask(1)).containsExactly(2);
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  @Test
  void anAnswerIsGivenIfThereIsNoMemoryToKeepIt() {
    var roomy = new ResponseCache(1 << 20, System::nanoTime);
    InferenceRequest request = request(RequestOptions.NONE, List.of(), new float[1 << 16]);
    RequestKey key = requireNonNull(RequestKey.of(1, members, true, request));
    try (InferenceResponse response = adding.submit(request).result()) {
      var budget = new MemoryBudget(TensorMemory.openBytes() + response.byteSize() / 2);
      try (var account = budget.account()) {
        account.within(() -> {
          roomy.keep(key, response);
          return roomy;
        });
      }
      assertThat(budget.refusals()).isEqualTo(1);
      assertThat(roomy.find(key)).isNull();
    }
  }

  @Test
  void anotherLoadOfTheModelHasAnswersOfItsOwn() {
    ask(1);
    var other = cache.before(adding, meter, () -> members, true);
    other.submit(request(RequestOptions.NONE, List.of(), 1)).result().close();
    assertThat(adding.runs).isEqualTo(2);
    other.close();
    ask(1);
    assertThat(adding.runs).isEqualTo(2);
  }
}
