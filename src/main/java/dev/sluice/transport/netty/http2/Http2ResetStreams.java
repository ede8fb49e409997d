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
 * Ignores DATA that was on its way when its stream was reset, as RFC 9113, section 5.1 asks. Netty
 * would reset the stream once more for each such frame, and close the connection, with the streams
 * of others on it, after some thousands; or at once if the stream was reset before it was opened,
 * since its head is malformed or there are too many. On the connection's event loop.
 *
 * <p>No more is ignored than a client may have sent before it knew: a window for each reset stream.
 */
public final class Http2ResetStreams implements Http2LifecycleManager {
  private final Http2ConnectionHandler handler;
  private final ReceiveFlowController flow;

  private Http2ResetStreams(Http2ConnectionHandler handler) {
    this.handler = handler;
    this.flow = ReceiveFlowController.of(handler.connection());
  }

  /** Looks after a connection that has just been opened, if it speaks HTTP/2. */
  public static void join(HttpConnection connection) {
    ConnectionInternals.http2(connection).ifPresent(Http2ResetStreams::join);
  }

  private static void join(Http2ConnectionHandler handler) {
    var streams = new Http2ResetStreams(handler);
    handler.encoder().lifecycleManager(streams);
    handler.connection().addListener(new StreamEnds(streams::closed));
  }

  private void closed(Http2Stream stream) {
    if (stream.isResetSent()) {
      flow.expectLate();
    }
  }

  @Override
  public ChannelFuture resetStream(
      ChannelHandlerContext ctx, int streamId, long errorCode, ChannelPromise promise) {
    if (streamId == ReceiveFlowController.NO_STREAM) {
      return promise.isVoid() ? promise : promise.setSuccess();
    }
    remember(streamId);
    return handler.resetStream(ctx, streamId, errorCode, promise);
  }

  /** Remembers a stream that is reset before it was opened. */
  private void remember(int streamId) {
    Http2Connection.Endpoint<?> client = handler.connection().remote();
    if (client.isValidStreamId(streamId) && streamId > client.lastStreamCreated()) {
      // One that is refused because there are too many is closed at once, and no stream too many.
      int most = client.maxActiveStreams();
      client.maxActiveStreams(Integer.MAX_VALUE);
      try {
        client.createStream(streamId, true).close();
        flow.expectLate();
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
