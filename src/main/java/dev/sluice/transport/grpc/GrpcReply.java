package dev.sluice.transport.grpc;

import dev.sluice.transport.Buffers;
import dev.sluice.transport.RetryAfter;
import dev.sluice.transport.grpc.message.GrpcMessageReader;
import dev.sluice.transport.netty.http2.Http2Guard;
import dev.sluice.transport.netty.vertx.PacedResponse;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

/**
 * Writes the answer of a call: one message, or any number of them and then a status. Later answers,
 * and those to callers who left, are dropped.
 */
final class GrpcReply implements UnaryReply {
  /** Frame head: a flag byte and a 32-bit length. */
  static final int PREFIX = GrpcMessageReader.PREFIX;

  private static final CharSequence STATUS = HttpHeaders.createOptimized("grpc-status");
  private static final CharSequence MESSAGE = HttpHeaders.createOptimized("grpc-message");
  private static final CharSequence OK = HttpHeaders.createOptimized("0");

  /** Flag of the frame that holds gRPC-Web's trailers. */
  private static final byte TRAILERS = (byte) 0x80;

  /** Bytes of a message that are copied behind the prefix sooner than written as a part of two. */
  static final int MOST_COPIED = 4 * 1024;

  /** Texts travel in a header, where peers allow 8 KiB in all. */
  private static final int MAX_TEXT = 1024;

  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final PacedResponse paced;
  private final GrpcForm form;
  private Handler<AsyncResult<Void>> whenSent = _ -> {};

  /** What gRPC-Web has among its trailers besides the status. */
  private String moreTrailers = "";

  GrpcReply(HttpServerRequest request, GrpcForm form) {
    this.request = request;
    this.response = request.response();
    this.paced = new PacedResponse(response);
    this.form = form;
  }

  /** Runs the action when the whole answer is written, or never will be. */
  void onSent(Runnable action) {
    whenSent = _ -> action.run();
  }

  @Override
  public Buffer frame(Buffer message) {
    Buffer prefix = prefix((byte) 0, message.length());
    Buffer frame =
        message.length() <= MOST_COPIED
            ? prefix.appendBuffer(message)
            : Buffers.join(prefix, message);
    return form == GrpcForm.GRPC
        ? frame
        : encode(Buffers.join(frame, trailers("grpc-status:0\r\n" + moreTrailers)));
  }

  @Override
  public void succeed(Buffer framed) {
    if (!open()) {
      return;
    }
    head();
    if (form == GrpcForm.GRPC) {
      response.putTrailer(STATUS, OK);
    }
    sent(response.end(framed));
  }

  @Override
  public void fail(int status, String text) {
    if (!open()) {
      return;
    }
    String encoded = encode(text);
    if (form == GrpcForm.GRPC) {
      head();
      response.putHeader(STATUS, Integer.toString(status)).putHeader(MESSAGE, encoded);
      sent(response.end());
    } else {
      if (!response.headWritten()) {
        head();
      }
      String lines =
          "grpc-status:" + status + "\r\ngrpc-message:" + encoded + "\r\n" + moreTrailers;
      sent(response.end(encode(trailers(lines))));
    }
  }

  private void sent(Future<Void> written) {
    written.onComplete(whenSent);
  }

  /** Returns whether the client applies backpressure. */
  boolean isWriteQueueFull() {
    return paced.isWriteQueueFull();
  }

  /** Runs the action when the client has caught up. */
  void onWritable(Runnable action) {
    paced.onWritable(action);
  }

  /**
   * Sends one of several messages.
   *
   * @return complete when it is written, or never will be
   */
  Future<Void> write(Buffer message) {
    if (!open()) {
      return Future.succeededFuture();
    }
    begin();
    Buffer prefix = Buffer.buffer(PREFIX).appendByte((byte) 0).appendInt(message.length());
    return response.write(encode(Buffers.join(prefix, message)));
  }

  private void begin() {
    if (!response.headWritten()) {
      head();
      response.setChunked(true);
    }
  }

  /** Ends a stream of messages well. */
  void end() {
    if (!open()) {
      return;
    }
    begin();
    if (form == GrpcForm.GRPC) {
      response.putTrailer(STATUS, OK);
      sent(response.end());
    } else {
      sent(response.end(encode(trailers("grpc-status:0\r\n" + moreTrailers))));
    }
  }

  /** Ends a stream of messages with a failure. */
  void failStream(int status, String text) {
    if (form != GrpcForm.GRPC || !response.headWritten()) {
      fail(status, text);
    } else if (open()) {
      response.putTrailer(STATUS, Integer.toString(status));
      response.putTrailer(MESSAGE, encode(text));
      sent(response.end());
    }
  }

  @Override
  public void acceptEncodings() {
    if (open() && !response.headWritten()) {
      response.putHeader("grpc-accept-encoding", "identity,gzip,deflate");
    }
  }

  @Override
  public void trailer(CharSequence name, String value) {
    if (form != GrpcForm.GRPC) {
      moreTrailers += name + ":" + value + "\r\n";
    } else if (open()) {
      response.putTrailer(name, value);
    }
  }

  @Override
  public void retryAfter(Duration time) {
    if (open() && !response.headWritten()) {
      response.putHeader("grpc-retry-pushback-ms", Long.toString(Math.max(1, time.toMillis())));
      response.putHeader(HttpHeaders.RETRY_AFTER, Long.toString(RetryAfter.seconds(time)));
    }
  }

  /** Returns a text as it travels in a header. */
  static String encode(String text) {
    boolean fits = text.length() <= MAX_TEXT;
    return GrpcText.encode(fits ? text : text.substring(0, MAX_TEXT) + "...TRUNCATED");
  }

  private boolean open() {
    return paced.isOpen();
  }

  private void head() {
    Http2Guard.answering(request);
    response.putHeader(HttpHeaders.CONTENT_TYPE, form.answerType());
  }

  private Buffer encode(Buffer frames) {
    return form == GrpcForm.WEB_TEXT
        ? Buffer.buffer(Base64.getEncoder().encode(frames.getBytes()))
        : frames;
  }

  private static Buffer trailers(String lines) {
    byte[] text = lines.getBytes(StandardCharsets.US_ASCII);
    return Buffers.join(prefix(TRAILERS, text.length), Buffer.buffer(text));
  }

  private static Buffer prefix(byte flag, int length) {
    int capacity = length <= MOST_COPIED ? PREFIX + length : PREFIX;
    return Buffer.buffer(capacity).appendByte(flag).appendInt(length);
  }
}
