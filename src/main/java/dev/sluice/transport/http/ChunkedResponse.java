package dev.sluice.transport.http;

import dev.sluice.transport.netty.FlushCoalescing;
import dev.sluice.transport.netty.http2.Http2Guard;
import dev.sluice.transport.netty.vertx.PacedResponse;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;

/**
 * The body of an answer whose length is not known: each piece that is written is one chunk of
 * HTTP/1.1, or a frame of HTTP/2. A client of HTTP/1.0 knows no chunks; the end of the connection
 * is the end of its answer.
 */
public final class ChunkedResponse {
  private final HttpServerResponse response;
  private final PacedResponse paced;
  private final HttpExchange exchange;

  ChunkedResponse(
      HttpServerRequest request, int status, CharSequence contentType, HttpExchange exchange) {
    this.response = request.response();
    this.paced = new PacedResponse(response);
    this.exchange = exchange;
    response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, contentType);
    if (request.version() == HttpVersion.HTTP_1_0) {
      response.putHeader(HttpHeaders.CONNECTION, "close");
    }
    response.setChunked(true);
    exchange.report();
    Http2Guard.answering(request);
    FlushCoalescing.joinPieces(request.connection());
  }

  /** Returns whether the client applies backpressure. */
  public boolean isWriteQueueFull() {
    return paced.isWriteQueueFull();
  }

  /** Runs the action when the client has caught up. */
  public void onWritable(Runnable action) {
    paced.onWritable(action);
  }

  /** Sends one chunk, unless it is empty: that would be the end. */
  public void write(Buffer chunk) {
    if (paced.isOpen() && chunk.length() > 0) {
      exchange.record().message(chunk.length());
      exchange.holdPiece(chunk.length(), response.write(chunk));
    }
  }

  /** Ends the answer. */
  public void end() {
    if (paced.isOpen()) {
      exchange.record().succeeded();
      exchange.sent(response.end());
    }
  }
}
