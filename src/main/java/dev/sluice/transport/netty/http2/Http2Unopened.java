package dev.sluice.transport.netty.http2;

import dev.sluice.transport.netty.ConnectionInternals;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2LifecycleManager;
import io.netty.handler.codec.http2.Http2Stream;
import io.vertx.core.http.HttpConnection;

/**
 * Remembers streams that are reset before they were opened, since their heads are malformed or
 * there are too many. Netty would take the DATA frames behind such a head, which the client has
 * sent before it knew, for frames of a stream that never was, and close the connection with the
 * streams of others on it. On the connection's event loop.
 */
public final class Http2Unopened implements Http2LifecycleManager {
  private final Http2ConnectionHandler handler;

  private Http2Unopened(Http2ConnectionHandler handler) {
    this.handler = handler;
  }

  /** Looks after a connection that has just been opened, if it speaks HTTP/2. */
  public static void join(HttpConnection connection) {
    ConnectionInternals.http2(connection)
        .ifPresent(handler -> handler.encoder().lifecycleManager(new Http2Unopened(handler)));
  }

  @Override
  public ChannelFuture resetStream(
      ChannelHandlerContext ctx, int streamId, long errorCode, ChannelPromise promise) {
    remember(streamId);
    return handler.resetStream(ctx, streamId, errorCode, promise);
  }

  private void remember(int streamId) {
    Http2Connection.Endpoint<?> client = handler.connection().remote();
    if (client.isValidStreamId(streamId) && streamId > client.lastStreamCreated()) {
      // One that is refused because there are too many is closed at once, and no stream too many.
      int most = client.maxActiveStreams();
      client.maxActiveStreams(Integer.MAX_VALUE);
      try {
        client.createStream(streamId, true).close();
      } catch (Http2Exception e) {
        // No client may open a stream on a connection that is closed.
      } finally {
        client.maxActiveStreams(most);
      }
    }
  }

  @Override
  public void closeStreamLocal(Http2Stream stream, ChannelFuture future) {
    handler.closeStreamLocal(stream, future);
  }

  @Override
  public void closeStreamRemote(Http2Stream stream, ChannelFuture future) {
    handler.closeStreamRemote(stream, future);
  }

  @Override
  public void closeStream(Http2Stream stream, ChannelFuture future) {
    handler.closeStream(stream, future);
  }

  @Override
  public ChannelFuture goAway(
      ChannelHandlerContext ctx,
      int lastStreamId,
      long errorCode,
      ByteBuf debugData,
      ChannelPromise promise) {
    return handler.goAway(ctx, lastStreamId, errorCode, debugData, promise);
  }

  @Override
  public void onError(ChannelHandlerContext ctx, boolean outbound, Throwable cause) {
    handler.onError(ctx, outbound, cause);
  }
}
