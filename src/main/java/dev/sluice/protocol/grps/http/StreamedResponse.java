package dev.sluice.protocol.grps.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.transport.ClientStream;
import dev.sluice.transport.http.ChunkedResponse;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * A predict answer in chunks: one for each message, as clients of grps expect it. A failure is one
 * more message, and the HTTP status stays 200; only who was turned away for want of room, before
 * anything was sent, gets the error in the status.
 */
final class StreamedResponse implements ClientStream {
  private final HttpExchange http;
  private final String contentType;
  private @Nullable ChunkedResponse chunks;

  StreamedResponse(HttpExchange http, String contentType) {
    this.http = http;
    this.contentType = contentType;
  }

  private ChunkedResponse chunks() {
    if (chunks == null) {
      chunks = http.chunked(200, contentType);
    }
    return chunks;
  }

  @Override
  public boolean isWriteQueueFull() {
    return chunks != null && chunks.isWriteQueueFull();
  }

  @Override
  public void onWritable(Runnable action) {
    chunks().onWritable(action);
  }

  @Override
  public void write(Buffer message) {
    chunks().write(message);
  }

  @Override
  public void end() {
    chunks().end();
  }

  @Override
  public void fail(Throwable failure) {
    InferenceException reported = http.explain(failure);
    GrpsStatus status = GrpsStatus.ofPrediction(reported);
    if (chunks == null && reported.code() == ErrorCode.RESOURCE_EXHAUSTED) {
      MessageJson.answer(http, status);
      return;
    }
    write(MessageJson.begin(status, 0).raw("}\n").toBuffer());
    end();
  }
}
