package dev.sluice.transport.grpc;

import dev.sluice.transport.RetryAfter;
import dev.sluice.transport.grpc.message.MessageBody;
import dev.sluice.transport.netty.vertx.NettyBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AsciiString;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A unary call on the frames of its stream: passes on what arrives, gives the flow-control window
 * back, and answers with headers, one message, and the status behind it. One object for all that
 * ends with the stream. On the connection's event loop.
 *
 * <p>The client may send again what was taken, unless there is no memory for it, which is the
 * backpressure of a unary call. A failure is answered by trailers only. Flush coalescing sends the
 * answers of several calls together.
 */
final class Http2Call implements UnaryReply, MessageBody.Source {
  private static final AsciiString ZERO = AsciiString.cached("0");
  private static final AsciiString OK = AsciiString.cached("200");
  private static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");
  private static final AsciiString GRPC = AsciiString.cached("application/grpc");
  private static final AsciiString STATUS = AsciiString.cached("grpc-status");
  private static final AsciiString MESSAGE = AsciiString.cached("grpc-message");
  private static final AsciiString ACCEPT = AsciiString.cached("grpc-accept-encoding");
  private static final AsciiString PUSHBACK = AsciiString.cached("grpc-retry-pushback-ms");
  private static final AsciiString RETRY_AFTER = AsciiString.cached("retry-after");

  private final Http2Frames frames;
  private final Http2Stream stream;
  private final UnaryCall call;

  /** Trailers besides the status; for most answers there are none. */
  private @Nullable Http2Headers more;

  /** The message of a failure besides its status; only failures have it. */
  private @Nullable Http2Headers failure;

  private boolean done;
  private boolean paused;

  /** Bytes that were taken out of the window while the call was paused. */
  private int kept;

  /**
   * @param maker makes the call of its reply and its source, which it does not use before {@link
   *     #begin}
   */
  @SuppressWarnings("NullAway.Init") // See maker.
  Http2Call(Http2Frames frames, Http2Stream stream, Function<Http2Call, UnaryCall> maker) {
    this.frames = frames;
    this.stream = stream;
    this.call = maker.apply(this);
  }

  void begin() {
    call.begin();
  }

  /** Takes a part of the message, which is the connection's again after this call. */
  void take(ByteBuf data) {
    call.take(data);
  }

  void end() {
    call.answer();
  }

  /** Takes the last part of the message: for most calls it is the only one. */
  void takeLast(ByteBuf data) {
    call.take(data);
    call.answer();
  }

  /** Returns whether the call has decided its answer: what is left to do needs no context. */
  boolean isAnswered() {
    return call.isAnswered();
  }

  void endIfIdle() {
    call.endIfIdle();
  }

  /**
   * Called when the stream is closed, and what was kept of its window returned to the connection.
   */
  void closed() {
    done = true;
    forgetKept();
    call.cancelled();
  }

  /**
   * Keeps what was taken out of the window while the call is paused.
   *
   * @return bytes that the client may send again at once
   */
  int window(int taken) {
    if (paused) {
      kept += taken;
      frames.chargedByCall(taken);
      return 0;
    }
    return taken;
  }

  @Override
  public void pause() {
    paused = true;
  }

  @Override
  public void resume() {
    paused = false;
    int bytes = kept;
    forgetKept();
    if (bytes > 0) {
      frames.giveWindow(stream, bytes);
    }
  }

  private void forgetKept() {
    if (kept > 0) {
      frames.chargedByCall(-kept);
      kept = 0;
    }
  }

  /** Returns the frame of a message; its head is written before the message when it is sent. */
  @Override
  public Buffer frame(Buffer message) {
    return message;
  }

  @Override
  public void succeed(Buffer message) {
    if (!done) {
      done = true;
      frames.answer(stream, NettyBuffers.bytes(message), trailers());
    }
  }

  @Override
  public void fail(int status, String text) {
    if (!done) {
      done = true;
      Http2Headers all = failure().status(OK).set(CONTENT_TYPE, GRPC);
      all.set(STATUS, Integer.toString(status)).set(MESSAGE, GrpcReply.encode(text));
      if (more != null) {
        all.add(more);
      }
      frames.end(stream, all);
    }
  }

  private Http2Headers failure() {
    if (failure == null) {
      failure = new DefaultHttp2Headers(false);
    }
    return failure;
  }

  @Override
  public void acceptEncodings() {
    failure().set(ACCEPT, "identity,gzip,deflate");
  }

  private Http2Headers trailers() {
    if (more == null) {
      return UnaryResponseFrames.TRAILERS;
    }
    Http2Headers all = new DefaultHttp2Headers(false).set(STATUS, ZERO);
    all.add(more);
    return all;
  }

  @Override
  public void trailer(CharSequence name, String value) {
    if (more == null) {
      more = new DefaultHttp2Headers(false);
    }
    more.set(name, value);
  }

  @Override
  public void retryAfter(Duration time) {
    failure().set(PUSHBACK, Long.toString(Math.max(1, time.toMillis())));
    failure().set(RETRY_AFTER, Long.toString(RetryAfter.seconds(time)));
  }
}
