package dev.sluice.transport.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.ClientStream;
import io.vertx.core.buffer.Buffer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Server-sent events: each piece is the data of one. A failure is an event too; one that comes
 * first has the status of its own, and may be no event but an answer in JSON. Of the call's event
 * loop.
 */
public final class ServerSentEvents implements ClientStream {
  private static final String TYPE = "text/event-stream; charset=utf-8";

  private final HttpExchange exchange;
  private final UnaryOperator<Buffer> form;
  private final Function<InferenceException, Buffer> errors;
  private final @Nullable Function<InferenceException, Buffer> refusals;
  private final Buffer ending;
  private @Nullable ChunkedResponse chunks;

  /**
   * @param errors makes the data of a failure, in the protocol's words
   * @param ending what is sent behind the last event of a stream that ends well; may be empty
   * @param plainRefusals whether a failure in front of the first event is answered in JSON
   */
  public ServerSentEvents(
      HttpExchange exchange,
      Function<InferenceException, Buffer> errors,
      Buffer ending,
      boolean plainRefusals) {
    this(exchange, ServerSentEvents::event, errors, plainRefusals ? errors : null, ending);
  }

  private ServerSentEvents(
      HttpExchange exchange,
      UnaryOperator<Buffer> form,
      Function<InferenceException, Buffer> errors,
      @Nullable Function<InferenceException, Buffer> refusals,
      Buffer ending) {
    this.exchange = exchange;
    this.form = form;
    this.errors = errors;
    this.refusals = refusals;
    this.ending = ending;
  }

  /**
   * Returns a stream whose pieces are whole events already, one or several, as those are that have
   * names.
   *
   * @param errors makes the events of a failure
   * @param refusals makes the JSON of a failure in front of the first event
   * @param ending what is sent behind the last event of a stream that ends well; may be empty
   */
  public static ServerSentEvents ofWhole(
      HttpExchange exchange,
      Function<InferenceException, Buffer> errors,
      Function<InferenceException, Buffer> refusals,
      Buffer ending) {
    return new ServerSentEvents(exchange, UnaryOperator.identity(), errors, refusals, ending);
  }

  /** Returns an event. */
  public static Buffer event(Buffer data) {
    return Buffers.join(Buffer.buffer("data: "), data, Buffer.buffer("\n\n"));
  }

  private ChunkedResponse chunks(int status) {
    if (chunks == null) {
      chunks = exchange.chunked(status, TYPE);
    }
    return chunks;
  }

  @Override
  public boolean isWriteQueueFull() {
    return chunks != null && chunks.isWriteQueueFull();
  }

  @Override
  public void onWritable(Runnable action) {
    chunks(200).onWritable(action);
  }

  /** A piece may be empty: of a response that says nothing yet. */
  @Override
  public void write(Buffer data) {
    if (data.length() > 0) {
      chunks(200).write(form.apply(data));
    }
  }

  @Override
  public void end() {
    ChunkedResponse last = chunks(200);
    if (ending.length() > 0) {
      last.write(ending);
    }
    last.end();
  }

  @Override
  public void fail(Throwable failure) {
    InferenceException reported = exchange.explain(failure);
    int status = HttpStatus.of(reported.code());
    if (chunks == null && refusals != null) {
      exchange.json(status, refusals.apply(reported));
      return;
    }
    ChunkedResponse last = chunks(status);
    last.write(form.apply(errors.apply(reported)));
    last.end();
  }
}
