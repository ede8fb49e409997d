package dev.sluice.serving.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.extension.Answer;
import dev.sluice.extension.Models;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Value;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.scheduling.deadline.TestContexts;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.Tensors;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a plugin asks of other models, before a data plane that counts up as far as it is asked. */
@Timeout(60)
class PluginModelsTest {
  private static final String COUNTER = "counter";

  private final Vertx vertx = Vertx.vertx();
  private final FakeModelLease lease =
      new FakeModelLease(new ModelId(COUNTER, 1), FakeSession.METADATA);
  private final CountingPlane plane = new CountingPlane();
  private final PluginModels models = new PluginModels(plane, TestContexts.of(vertx));
  private final List<Float> read = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void nothingIsLeftOpen() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    assertThat(lease.leases()).isZero();
  }

  /** Answers with 1, 2 and so on, as many as are asked for; its event loop's but for the ends. */
  private final class CountingPlane implements DataPlane {
    private final CompletableFuture<Map<String, ParameterValue>> parameters =
        new CompletableFuture<>();
    private final CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
    private final AtomicLong asked = new AtomicLong();
    private long length = Long.MAX_VALUE;
    private @Nullable InferenceException failure;

    @Override
    public ModelLookup find(ModelSelector selector, Caller caller, Operation operation) {
      return selector.name().equals(COUNTER)
          ? new ModelLookup.Found(lease.acquire())
          : new ModelLookup.UnknownModel(selector.name());
    }

    @Override
    public Future<InferenceResponse> infer(InferenceRequest request) {
      parameters.complete(request.options().parameters());
      request.close();
      return Future.succeededFuture(response(1));
    }

    @Override
    public void inferStream(
        InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
      parameters.complete(request.options().parameters());
      subscriber.onSubscribe(new Counting(request, subscriber));
    }

    private InferenceResponse response(float number) {
      return new InferenceResponse(
          lease.id(),
          FakeSession.SIGNATURE,
          List.of(new NamedTensor("y", Tensors.floats(Shape.of(1), number))));
    }

    private final class Counting implements Flow.Subscription {
      private final InferenceRequest request;
      private final Flow.Subscriber<? super InferenceResponse> subscriber;
      private boolean ended;
      private int sent;

      Counting(InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
        this.request = request;
        this.subscriber = subscriber;
      }

      @Override
      public void request(long count) {
        asked.addAndGet(count);
        for (long i = 0; i < count && sent < length; i++) {
          subscriber.onNext(response(++sent));
        }
        if (sent >= length) {
          end();
        }
      }

      private void end() {
        if (ended) {
          return;
        }
        ended = true;
        request.close();
        if (failure == null) {
          subscriber.onComplete();
        } else {
          subscriber.onError(failure);
        }
      }

      @Override
      public void cancel() {
        if (!ended) {
          ended = true;
          request.close();
          cancelled.complete(true);
        }
      }
    }
  }

  private static List<Value> inputs() {
    return List.of(Value.floats("x", Shape.of(1), 1));
  }

  private void stream(Models.Reader reader) throws Exception {
    models.stream(COUNTER, inputs(), Map.of(), reader);
  }

  private static float number(Answer answer) {
    return answer.outputs().getFirst().data().order(ByteOrder.LITTLE_ENDIAN).getFloat(0);
  }

  @Test
  void messagesAreReadInOrderUntilTheStreamEnds() throws Exception {
    plane.length = 3;
    stream(message -> read.add(number(message)));
    assertThat(read).containsExactly(1f, 2f, 3f);
  }

  @Test
  void modelWorksFourMessagesAheadOfTheReader() {
    assertThatThrownBy(() ->
            stream(message -> {
              read.add(number(message));
              if (read.size() == 10) {
                throw new IOException("enough");
              }
            }))
        .isInstanceOf(IOException.class);
    plane.cancelled.join();
    assertThat(plane.asked.get()).isBetween(10L, 14L);
  }

  @Test
  void exceptionOfTheReaderIsThrownAsItIsAndCancelsTheStream() {
    var thrown = new IOException("no more");
    assertThatThrownBy(() ->
            stream(_ -> {
              throw thrown;
            }))
        .isSameAs(thrown);
    assertThat(plane.cancelled.join()).isTrue();
  }

  @Test
  void interruptedThreadCancelsTheStream() {
    var reading = new CompletableFuture<Thread>();
    var task =
        new FutureTask<@Nullable Void>(() -> {
          stream(_ -> {
            reading.complete(Thread.currentThread());
            new CompletableFuture<Void>().get();
          });
          return null;
        });
    Thread.ofVirtual().start(task);
    reading.join().interrupt();
    assertThatThrownBy(task::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(plane.cancelled.join()).isTrue();
  }

  @Test
  void failureOfTheModelComesBehindItsMessagesAsARefusal() {
    plane.length = 2;
    plane.failure = new InferenceException(ErrorCode.RESOURCE_EXHAUSTED, "no memory is left");
    assertThatThrownBy(() -> stream(message -> read.add(number(message))))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> assertThat(refusal.kind()).isEqualTo(Refusal.Kind.RESOURCE_EXHAUSTED))
        .hasMessage("no memory is left");
    assertThat(read).containsExactly(1f, 2f);
  }

  @Test
  void parametersReachTheModel() throws Exception {
    models.infer(COUNTER, inputs(), Map.of("max_tokens", 7, "greedy", true, "stop", "end"));
    assertThat(plane.parameters.join())
        .isEqualTo(
            Map.of(
                "max_tokens", new ParameterValue.Whole(7, false),
                "greedy", new ParameterValue.Flag(true),
                "stop", new ParameterValue.Text("end")));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(classes = Object.class)
  void parameterThatIsNoTextNumberOrFlagIsRefusedByName(@Nullable Object value) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("stop", value);
    assertThatThrownBy(() -> models.infer(COUNTER, inputs(), parameters))
        .isInstanceOf(Refusal.class)
        .hasMessageMatching("parameter 'stop' is .*; wanted a text, a number or a flag");
  }

  @Test
  void modelThatIsNotThereIsARefusal() {
    assertThatThrownBy(() -> models.infer("missing", inputs()))
        .isInstanceOf(Refusal.class)
        .hasMessage("model 'missing' takes no requests now");
  }
}
