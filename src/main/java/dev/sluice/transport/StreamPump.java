package dev.sluice.transport;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.StreamRecord;
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
 * <pre>
 * state     event                         next      what happens
 * --------  ----------------------------  --------  --------------------------------------------
 * OPEN      model gives a response        OPEN      it is encoded and written, in its turn
 * OPEN      its first one, no memory      ENDED     the model is cancelled, the answer is refused
 * OPEN      model completes or fails      DRAINING  what waits is still written
 * DRAINING  the last response is written  ENDED     the answer ends, well or with the failure
 * not ENDED caller cancels, disconnects   ENDED     the model is cancelled, what waits is closed
 * not ENDED response cannot be encoded    ENDED     the same, and the answer fails
 * ENDED     anything                      ENDED     nothing; a response is closed
 * </pre>
 *
 * <p>The same for every transport: gRPC, chunks of HTTP/1.1, frames of HTTP/2, server-sent events.
 * Of the call's event loop.
 */
public final class StreamPump implements Flow.Subscriber<InferenceResponse> {
  /**
   * The part of the budget that a new stream leaves to those that are there. What a stream keeps
   * from step to step is there with its first response, and stays for as long as its client reads.
   * One is refused then if less than a quarter of the budget is left: an eighth is for those that
   * go on, whose next steps and responses may be larger, and an eighth is never for what is large.
   */
  private static final int LEFT_PART = 8;

  /** Responses that are asked for ahead. */
  static final int AHEAD = 16;

  private final Exchange exchange;
  private final CallRecord call;
  private final ClientStream client;
  private final Function<InferenceResponse, Buffer> encoder;
  private final Queue<InferenceResponse> waiting = new ArrayDeque<>();
  private final Promise<Void> ended = Promise.promise();
  private Flow.@Nullable Subscription subscription;
  private @Nullable StreamRecord record;
  private @Nullable Throwable failure;
  private State state = State.OPEN;
  private boolean begun;
  private boolean encoding;
  private boolean awaitsWritable;

  private enum State {
    OPEN,
    DRAINING,
    ENDED
  }

  /**
   * An answer to the whole call.
   *
   * @param client gets what is encoded, in order, and the end
   * @param encoder makes a piece of a response, which it borrows
   */
  public StreamPump(
      Exchange exchange, ClientStream client, Function<InferenceResponse, Buffer> encoder) {
    this(exchange, exchange.record(), client, encoder);
  }

  /**
   * An answer to one of a call's requests.
   *
   * @param call counts the request
   */
  public StreamPump(
      Exchange exchange,
      CallRecord call,
      ClientStream client,
      Function<InferenceResponse, Buffer> encoder) {
    this.exchange = exchange;
    this.call = call;
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
    call.asked(request);
    data.inferStream(request, this);
    return ended.future();
  }

  /** Cancels the stream: stops the model's work and frees what has not been sent. */
  public void leave() {
    if (state != State.ENDED) {
      state = State.ENDED;
      if (subscription != null) {
        subscription.cancel();
      }
      waiting.forEach(InferenceResponse::close);
      waiting.clear();
      over();
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    if (state == State.ENDED) {
      given.cancel();
    } else {
      record = call.stream();
      given.request(AHEAD);
    }
  }

  @Override
  public void onNext(InferenceResponse response) {
    if (state == State.ENDED) {
      response.close();
    } else {
      waiting.add(response);
      pump();
    }
  }

  @Override
  public void onError(Throwable why) {
    failure = why;
    drain();
  }

  @Override
  public void onComplete() {
    drain();
  }

  private void drain() {
    if (state == State.OPEN) {
      state = State.DRAINING;
      pump();
    }
  }

  private void pump() {
    while (state != State.ENDED && !encoding && !waiting.isEmpty()) {
      if (client.isWriteQueueFull()) {
        awaitWritable();
        return;
      }
      send(waiting.remove());
    }
    if (state == State.DRAINING && !encoding) {
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
    boolean first = !begun;
    begun = true;
    exchange
        .compute(
            response.work(),
            () -> {
              if (first && !response.last()) {
                exchange.memory().budget().requireForStream(LEFT_PART);
              }
              return encoder.apply(response);
            })
        .onComplete(_ -> {
          response.close();
          encoding = false;
        })
        .onComplete(this::sent, this::failed);
  }

  private void sent(Buffer piece) {
    if (state == State.ENDED) {
      return;
    }
    client.write(piece);
    if (record != null) {
      record.sent();
    }
    if (subscription != null && state == State.OPEN) {
      subscription.request(1);
    }
    pump();
  }

  private void failed(Throwable why) {
    if (state != State.ENDED) {
      leave();
      client.fail(why);
    }
  }

  private void end() {
    state = State.ENDED;
    call.answered();
    if (failure == null) {
      client.end();
    } else {
      client.fail(failure);
    }
    over();
  }

  private void over() {
    if (record != null) {
      record.ended();
    }
    ended.complete();
  }
}
