package dev.sluice.protocol.grps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.DeclaredModel;
import dev.sluice.testing.LocalGrpcCall;
import dev.sluice.testing.NamedModels;
import dev.sluice.testing.Tensors;
import dev.sluice.transport.ClientStream;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PredictCallTest {
  private final DeclaredModel model =
      DeclaredModel.of(new TensorSpec("x", DataType.FP32, Shape.of(-1)));
  private final long openBefore = TensorMemory.openBlocks();
  private final OneModel data = new OneModel(model);
  private final LocalGrpcCall exchange = new LocalGrpcCall();

  /** Lends the one model, answers every request with one number, and leaves streams to the test. */
  private static final class OneModel implements DataPlane {
    private final DeclaredModel model;
    private Flow.@Nullable Subscriber<? super InferenceResponse> reader;

    OneModel(DeclaredModel model) {
      this.model = model;
    }

    @Override
    public void inferStream(
        InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
      request.close();
      reader = subscriber;
      subscriber.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {}
          });
    }

    Flow.Subscriber<? super InferenceResponse> reader() {
      return Objects.requireNonNull(reader);
    }

    @Override
    public ModelLookup find(ModelSelector selector, Caller caller, Operation operation) {
      return new ModelLookup.Found(model);
    }

    @Override
    public Future<InferenceResponse> infer(InferenceRequest request) {
      request.close();
      var output = new NamedTensor("y", Tensors.floats(Shape.of(1), 1f));
      return Future.succeededFuture(
          new InferenceResponse(model.id(), request.signature(), List.of(output)));
    }
  }

  /** A client that takes everything. */
  private static final class Taker implements ClientStream {
    private final List<String> got = new ArrayList<>();

    @Override
    public boolean isWriteQueueFull() {
      return false;
    }

    @Override
    public void onWritable(Runnable action) {
      action.run();
    }

    @Override
    public void write(Buffer piece) {
      got.add(piece.toString());
    }

    @Override
    public void end() {
      got.add("end");
    }

    @Override
    public void fail(Throwable failure) {
      got.add(String.valueOf(failure.getMessage()));
    }
  }

  private PredictCall predict(PredictConcurrencyLimit concurrencyLimit) {
    ControlPlane control = new NamedModels(new ModelId("declared", 1));
    return new PredictCall(
        data, new ModelResolver(data, control, Deployment.of("")), concurrencyLimit);
  }

  private Future<String> call(
      Consumer<RequestInputs> decoder, Function<InferenceResponse, String> encoder) {
    return predict(new PredictConcurrencyLimit(0)).run(exchange, "declared", 1, decoder, encoder);
  }

  private final PredictCall inSmallRoom = predict(new PredictConcurrencyLimit(1));
  private final Taker client = new Taker();

  private Future<Void> stream(Consumer<RequestInputs> decoder) {
    return inSmallRoom.stream(
        exchange, "declared", 1, decoder, client, _ -> Buffer.buffer("piece"));
  }

  private void assertAdmits() {
    assertThat(
            inSmallRoom.run(exchange, "declared", 1, PredictCallTest::giveOne, _ -> "in").result())
        .isEqualTo("in");
  }

  @Test
  void aStreamHoldsItsPermitUntilItEnds() {
    Future<Void> stream = stream(PredictCallTest::giveOne);
    assertThatThrownBy(() -> stream(PredictCallTest::giveOne))
        .hasMessageContaining("grps.max_connections");
    assertThat(stream.isComplete()).isFalse();
    data.reader().onComplete();
    assertThat(client.got).containsExactly("end");
    assertAdmits();
  }

  @Test
  void aStreamThatFailsReleasesItsPermit() {
    Future<Void> stream = stream(PredictCallTest::giveOne);
    data.reader().onError(InferenceException.invalid("broken"));
    assertThat(client.got).containsExactly("broken");
    assertThat(stream.succeeded()).isTrue();
    assertAdmits();
  }

  @Test
  void disconnectingReleasesThePermit() {
    stream(PredictCallTest::giveOne);
    Objects.requireNonNull(exchange.cancelAction()).run();
    assertThat(client.got).isEmpty();
    assertAdmits();
  }

  @Test
  void aStreamThatCannotBeDecodedReleasesItsPermit() {
    assertThat(
            stream(
                    _ -> {
                      throw InferenceException.invalid("bad");
                    })
                .cause())
        .hasMessage("bad");
    assertThat(client.got).isEmpty();
    assertAdmits();
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
