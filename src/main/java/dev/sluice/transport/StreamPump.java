package dev.sluice.transport;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends a stream of responses to a client with backpressure: one after the other, as fast as the
 * client reads. A few responses are asked for ahead, so that the model does not wait for the event
 * loop after each of them; that, and what the connection buffers, is all that a client who does not
 * read can hold.
 *
 * <p>Of the call's event loop. If the caller goes away, the stream is cancelled.
 */
public final class StreamPump implements Flow.Subscriber<InferenceResponse> {
  /** Responses that are asked for ahead. */
  static final int AHEAD = 16;

  private final Exchange exchange;
  private final ClientStream client;
  private final Function<InferenceResponse, Buffer> encoder;
  private final Queue<InferenceResponse> waiting = new ArrayDeque<>();
  private final Promise<Void> ended = Promise.promise();
  private Flow.@Nullable Subscription subscription;
  private @Nullable Throwable failure;
  private boolean complete;
  private boolean encoding;
  private boolean awaitsWritable;
  private boolean over;

  /**
   * @param client gets what is encoded, in order, and the end
   * @param encoder makes a piece of a response, which it borrows
   */
  public StreamPump(
      Exchange exchange, ClientStream client, Function<InferenceResponse, Buffer> encoder) {
    this.exchange = exchange;
    this.client = client;
    this.encoder = encoder;
  }

  /**
   * Asks a model. Takes the request over.
   *
   * @return complete when the stream is over, however it ends
   */
  public Future<Void> ask(DataPlane data, InferenceRequest request) {
    exchange.onCancel(this::leave);
    exchange.record().asked();
    data.inferStream(request, this);
    return ended.future();
  }

  /** Cancels the stream: stops the model's work and frees what has not been sent. */
  public void leave() {
    if (!over) {
      over = true;
      if (subscription != null) {
        subscription.cancel();
      }
      waiting.forEach(InferenceResponse::close);
      waiting.clear();
      ended.complete();
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    if (over) {
      given.cancel();
    } else {
      given.request(AHEAD);
    }
  }

  @Override
  public void onNext(InferenceResponse response) {
    waiting.add(response);
    pump();
  }

  @Override
  public void onError(Throwable why) {
    failure = why;
    complete = true;
    pump();
  }

  @Override
  public void onComplete() {
    complete = true;
    pump();
  }

  private void pump() {
    while (!over && !encoding && !waiting.isEmpty()) {
      if (client.isWriteQueueFull()) {
        awaitWritable();
        return;
      }
      send(waiting.remove());
    }
    if (complete && !over && !encoding) {
      end();
    }
  }

  private void awaitWritable() {
    if (!awaitsWritable) {
      awaitsWritable = true;
      client.onWritable(() -> {
        awaitsWritable = false;
        pump();
      });
    }
  }

  private void send(InferenceResponse response) {
    encoding = true;
    exchange
        .compute(response.byteSize(), () -> encoder.apply(response))
        .onComplete(_ -> {
          response.close();
          encoding = false;
        })
        .onComplete(this::sent, this::failed);
  }

  private void sent(Buffer piece) {
    if (over) {
      return;
    }
    client.write(piece);
    if (subscription != null && !complete) {
      subscription.request(1);
    }
    pump();
  }

  private void failed(Throwable why) {
    if (!over) {
      leave();
      client.fail(why);
    }
  }

  private void end() {
    over = true;
    exchange.record().answered();
    if (failure == null) {
      client.end();
    } else {
      client.fail(failure);
    }
    ended.complete();
  }
}
