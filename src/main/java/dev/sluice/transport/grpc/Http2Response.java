package dev.sluice.transport.grpc;

import dev.sluice.transport.RetryAfter;
import dev.sluice.transport.netty.vertx.NettyBuffers;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AsciiString;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Answers a call on the frames of its stream: headers, one message, and the status behind it.
 *
 * <p>Headers, the message in DATA frames and trailers for a good answer; trailers only for a
 * failure. Flush coalescing sends those of several calls together.
 */
final class Http2Response implements UnaryReply {
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

  /** Trailers besides the status; for most answers there are none. */
  private @Nullable Http2Headers more;

  /** The message of a failure besides its status; only failures have it. */
  private @Nullable Http2Headers failure;

  private boolean done;

  Http2Response(Http2Frames frames, Http2Stream stream) {
    this.frames = frames;
    this.stream = stream;
  }

  /** Called when the stream is no more. */
  void closed() {
    done = true;
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
