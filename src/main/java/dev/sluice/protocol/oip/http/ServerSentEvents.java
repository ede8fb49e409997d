package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.oip.http.json.OipMetadataJson;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.ClientStream;
import dev.sluice.transport.http.ChunkedResponse;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpStatus;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Server-sent events: each answer is the data of one. A failure is an event too; the status of one
 * that comes first is its own.
 */
final class ServerSentEvents implements ClientStream {
  private static final String TYPE = "text/event-stream; charset=utf-8";

  private final HttpExchange exchange;
  private @Nullable ChunkedResponse chunks;

  ServerSentEvents(HttpExchange exchange) {
    this.exchange = exchange;
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

  @Override
  public void write(Buffer json) {
    chunks(200).write(event(json));
  }

  private static Buffer event(Buffer json) {
    return Buffers.join(Buffer.buffer("data: "), json, Buffer.buffer("\n\n"));
  }

  @Override
  public void end() {
    chunks(200).end();
  }

  @Override
  public void fail(Throwable failure) {
    InferenceException reported = exchange.explain(failure);
    ChunkedResponse last = chunks(HttpStatus.of(reported.code()));
    last.write(event(OipMetadataJson.error(reported.getMessage())));
    last.end();
  }
}
