package dev.sluice.protocol.grps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.Caller;
import dev.sluice.inference.ControlPlane;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.Lookup;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelSelector;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.EntryPoint;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.DeclaredModel;
import dev.sluice.testing.NamedModels;
import dev.sluice.testing.Tensors;
import dev.sluice.transport.Exchange;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class PredictCallTest {
  private final DeclaredModel model =
      DeclaredModel.of(new TensorSpec("x", DataType.FP32, Shape.of(-1)));
  private final long openBefore = TensorMemory.openBlocks();

  /** Lends the one model, and answers every request with one number. */
  private record OneModel(DeclaredModel model) implements DataPlane {
    @Override
    public Lookup find(ModelSelector selector) {
      return new Lookup.Found(model);
    }

    @Override
    public Future<InferenceResponse> infer(InferenceRequest request) {
      request.close();
      var output = new NamedTensor("y", Tensors.floats(Shape.of(1), 1f));
      return Future.succeededFuture(
          new InferenceResponse(model.id(), request.signature(), List.of(output)));
    }
  }

  /** An exchange that does all work at once. */
  private static final class PlainExchange implements Exchange {
    @Override
    public CallRecord record() {
      return new CallRecord(Telemetry.unseen(), EntryPoint.REST, System::nanoTime);
    }

    @Override
    public String requestId() {
      return "r";
    }

    @Override
    public Caller caller() {
      return new Caller("test", true);
    }

    @Override
    public Deadline deadline() {
      return Deadline.NONE;
    }

    @Override
    public <T> Future<T> compute(long bytes, Supplier<T> work) {
      try {
        return Future.succeededFuture(work.get());
      } catch (RuntimeException e) {
        return Future.failedFuture(e);
      }
    }

    @Override
    public void onGone(Runnable action) {}
  }

  private Future<String> call(
      Consumer<RequestInputs> decoder, Function<InferenceResponse, String> encoder) {
    var data = new OneModel(model);
    ControlPlane control = new NamedModels(new ModelId("declared", 1));
    return new PredictCall(data, new ModelChoice(data, control, Deployment.of("")), new Room(0))
        .run(new PlainExchange(), "declared", 1, decoder, encoder);
  }

  private static void giveOne(RequestInputs inputs) {
    inputs.add(inputs.next(""), Tensors.floats(Shape.of(1), 2f));
  }

  private void assertNothingIsKept() {
    assertThat(model.releases()).isEqualTo(1);
    assertThat(TensorMemory.openBlocks()).isEqualTo(openBefore);
  }

  @Test
  void anAnswerLeavesNothingBehind() {
    assertThat(
            call(PredictCallTest::giveOne, response -> response.outputs().getFirst().name())
                .result())
        .isEqualTo("y");
    assertNothingIsKept();
  }

  @Test
  void aRequestThatCannotBeDecodedGivesTheModelBack() {
    Future<String> answer =
        call(
            inputs -> {
              giveOne(inputs);
              throw InferenceException.invalid("bad");
            },
            _ -> "");
    assertThat(answer.cause()).hasMessage("bad");
    assertNothingIsKept();
  }

  @Test
  void aMissingInputGivesTheModelBack() {
    assertThat(call(_ -> {}, _ -> "").cause()).hasMessageContaining("name: x");
    assertNothingIsKept();
  }

  @Test
  void anAnswerThatCannotBeEncodedIsFreed() {
    Future<String> answer =
        call(
            PredictCallTest::giveOne,
            _ -> {
              throw InferenceException.invalid("no");
            });
    assertThat(answer.failed()).isTrue();
    assertNothingIsKept();
  }
}
