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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream whose reader is told that the server stops. */
@Timeout(30)
class ResponseStreamTest {
  private final Vertx vertx = Vertx.vertx();
  private final Context callerContext = vertx.getOrCreateContext();
  private final OpenStreams streams = new OpenStreams();
  private final Reader reader = new Reader();
  private final ResponseStream stream =
      new ResponseStream(streams, new Meter(), reader, callerContext);
  private final List<StreamState> ends = new ArrayList<>();
  private boolean cancelled;

  private final class Meter implements StreamMeter {
    @Override
    public void ended(StreamState end, @Nullable Throwable failure) {
      ends.add(end);
    }
  }

  private static final class Reader implements Flow.Subscriber<InferenceResponse> {
    private final List<String> told = new ArrayList<>();
    private boolean throwing;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(10);
    }

    @Override
    public void onNext(InferenceResponse response) {
      told.add("next");
      response.close();
      if (throwing) {
        throw new IllegalStateException("a test's reader throws");
      }
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

  @Test
  void completedStreamIsNeitherFailedNorCancelledNorStopped() {
    onCallerContext(() -> stream.onSubscribe(new Model()));
    onCallerContext(stream::onComplete);
    onCallerContext(() -> stream.onError(new IllegalStateException("late")));
    onCallerContext(stream::onComplete);
    onCallerContext(stream::cancel);
    streams.stop();
    onCallerContext(() -> {});
    assertThat(reader.told).containsExactly("complete");
    assertThat(cancelled).isFalse();
    assertThat(ends).containsExactly(StreamState.COMPLETED);
  }

  @Test
  void failedStreamEndsOnce() {
    onCallerContext(() -> stream.onSubscribe(new Model()));
    onCallerContext(() -> stream.onError(new IllegalStateException("broken")));
    onCallerContext(stream::cancel);
    streams.stop();
    onCallerContext(() -> {});
    assertThat(reader.told).containsExactly("broken");
    assertThat(cancelled).isFalse();
    assertThat(ends).containsExactly(StreamState.FAILED);
  }

  @Test
  void cancelledStreamShowsItsReaderNothingMore() {
    onCallerContext(() -> stream.onSubscribe(new Model()));
    onCallerContext(stream::cancel);
    onCallerContext(stream::onComplete);
    streams.stop();
    onCallerContext(() -> {});
    assertThat(reader.told).isEmpty();
    assertThat(cancelled).isTrue();
    assertThat(ends).containsExactly(StreamState.CANCELLED);
  }

  @Test
  void streamThatBeginsWhileTheServerStopsIsStopped() {
    streams.stop();
    onCallerContext(() -> stream.onSubscribe(new Model()));
    onCallerContext(() -> {});
    assertThat(cancelled).isTrue();
    assertThat(ends).containsExactly(StreamState.STOPPED);
  }

  @Test
  void requestOfNoResponseFailsTheStream() {
    onCallerContext(() -> stream.onSubscribe(new Model()));
    onCallerContext(() -> stream.request(0));
    onCallerContext(() -> stream.request(0));
    assertThat(reader.told).containsExactly("asked for 0 responses, wanted one at least");
    assertThat(cancelled).isTrue();
    assertThat(ends).containsExactly(StreamState.FAILED);
  }

  @Test
  void readerThatThrowsIsCancelled() {
    reader.throwing = true;
    onCallerContext(() -> stream.onSubscribe(new Model()));
    onCallerContext(() -> stream.onNext(response()));
    onCallerContext(() -> stream.onNext(response()));
    onCallerContext(stream::onComplete);
    assertThat(reader.told).containsExactly("next");
    assertThat(cancelled).isTrue();
    assertThat(ends).containsExactly(StreamState.CANCELLED);
  }
}
