package dev.sluice.transport.netty.http2;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/**
 * Listens to the frames of an HTTP/2 connection, and sees the heads of its streams in one place: a
 * HEADERS frame comes with a priority or without one. Sees the ends of streams too, if it is asked
 * to. On the connection's event loop.
 */
public abstract class Http2Heads extends Http2FrameListenerDecorator {
  /** Listens before another one. */
  protected Http2Heads(Http2FrameListener next) {
    super(next);
  }

  /**
   * Takes the headers at the beginning of a stream, or the trailers at its end.
   *
   * @param end whether nothing follows
   * @return what the next listener gets; null if it gets nothing
   * @throws Http2Exception if they are none of a stream
   */
  protected abstract @Nullable Http2Headers headRead(
      int streamId, Http2Headers headers, boolean end) throws Http2Exception;

  /** Has {@link #streamClosed} called from now on. */
  protected final void listenToStreams(Http2Connection connection) {
    connection.addListener(new StreamEnds(this::streamClosed));
  }

  /** Called when a stream is no more, whatever ended it. */
  protected void streamClosed(Http2Stream stream) {}

  @Override
  public final void onHeadersRead(
      ChannelHandlerContext at, int streamId, Http2Headers headers, int padding, boolean end)
      throws Http2Exception {
    Http2Headers passed = headRead(streamId, headers, end);
    if (passed != null) {
      super.onHeadersRead(at, streamId, passed, padding, end);
    }
  }

  @Override
  public final void onHeadersRead(
      ChannelHandlerContext at,
      int streamId,
      Http2Headers headers,
      int dependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean end)
      throws Http2Exception {
    Http2Headers passed = headRead(streamId, headers, end);
    if (passed != null) {
      super.onHeadersRead(at, streamId, passed, dependency, weight, exclusive, padding, end);
    }
  }
}
