package dev.sluice.serving.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream whose reader is told that the server stops. */
@Timeout(30)
class OpenStreamTest {
  private final Vertx vertx = Vertx.vertx();
  private final Context callerContext = vertx.getOrCreateContext();
  private final OpenStreams streams = new OpenStreams();
  private final Reader reader = new Reader();
  private final OpenStream stream = new OpenStream(streams, reader, callerContext);
  private boolean cancelled;

  private static final class Reader implements Flow.Subscriber<InferenceResponse> {
    private final List<String> told = new ArrayList<>();

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(10);
    }

    @Override
    public void onNext(InferenceResponse response) {
      told.add("next");
      response.close();
    }

    @Override
    public void onError(Throwable failure) {
      told.add(String.valueOf(failure.getMessage()));
    }

    @Override
    public void onComplete() {
      told.add("complete");
    }
  }

  private final class Model implements Flow.Subscription {
    @Override
    public void request(long count) {
      // It has been asked for nothing that the test does not bring.
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private void onCallerContext(Runnable action) {
    var done = new CompletableFuture<Void>();
    callerContext.runOnContext(_ -> {
      action.run();
      done.complete(null);
    });
    done.join();
  }

  private static InferenceResponse response() {
    var tensor = Tensor.allocate(DataType.FP32, Shape.of(1));
    return new InferenceResponse(
        new ModelId("m", 1),
        new Signature("s", "", List.of(), List.of()),
        List.of(new NamedTensor("y", tensor)));
  }

  @Test
  void whatComesAfterTheLastWordsIsFreedAndNotShown() {
    long blocks = TensorMemory.openBlocks();
    onCallerContext(() -> stream.onSubscribe(new Model()));
    onCallerContext(() -> stream.onNext(response()));
    streams.stop();
    onCallerContext(() -> stream.onNext(response()));
    onCallerContext(stream::onComplete);
    assertThat(cancelled).isTrue();
    assertThat(reader.told)
        .containsExactly("next", "the server is stopping and ends what still goes on");
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocks);
  }
}
