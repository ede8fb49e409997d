package dev.sluice.transport.netty.http2;

import dev.sluice.transport.netty.ConnectionInternals;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2LifecycleManager;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import io.vertx.core.http.HttpConnection;
import org.jspecify.annotations.Nullable;

/**
 * Ignores DATA that was on its way when its stream was reset, as RFC 9113, section 5.1 asks. Netty
 * would reset the stream once more for each such frame, and close the connection, with the streams
 * of others on it, after some thousands; or at once if the stream was reset before it was opened,
 * since its head is malformed or there are too many. On the connection's event loop.
 *
 * <p>No more is ignored than a client may have sent before it knew: a window for each reset stream.
 */
public final class Http2ResetStreams implements Http2LifecycleManager {
  /** Bytes of a frame's head, without which nothing would limit empty ones. */
  private static final int FRAME = 9;

  /** Ignored frames in a second: more than a window of frames of a hundred bytes. */
  private static final int MOST_LATE = 50_000;

  /**
   * A stream that no client can have: Netty resets the stream that an exception names, and passes
   * over no frame without one.
   */
  private static final int NONE = Integer.MAX_VALUE - 1;

  @SuppressWarnings("StaticAssignmentOfThrowable") // Its stack says nothing, and would cost much.
  private static final Http2Exception IGNORED =
      Http2Exception.streamError(NONE, Http2Error.NO_ERROR, "a frame of a reset stream");

  /** Windows of a connection that are expected at most, however many streams are reset. */
  private static final int MOST_WINDOWS = 4;

  private final Http2ConnectionHandler handler;

  private final FrameFlood lateFrames = new FrameFlood("late DATA", MOST_LATE, FrameFlood.SECOND);

  /** Bytes of reset streams that may be on their way. */
  private long late;

  private Http2ResetStreams(Http2ConnectionHandler handler) {
    this.handler = handler;
  }

  /** Looks after a connection that has just been opened, if it speaks HTTP/2. */
  public static void join(HttpConnection connection) {
    ConnectionInternals.http2(connection).ifPresent(Http2ResetStreams::join);
  }

  private static void join(Http2ConnectionHandler handler) {
    var streams = new Http2ResetStreams(handler);
    handler.encoder().lifecycleManager(streams);
    handler.connection().addListener(streams.new Closed());
    Http2Connection.Endpoint<Http2LocalFlowController> local = handler.connection().local();
    local.flowController(streams.new LateDataFlowController(local.flowController()));
  }

  private final class Closed extends Http2ConnectionAdapter {
    @Override
    public void onStreamClosed(Http2Stream stream) {
      if (stream.isResetSent()) {
        expectLate();
      }
    }
  }

  private void expectLate() {
    Http2LocalFlowController flow = handler.connection().local().flowController();
    long most = flow.initialWindowSize(handler.connection().connectionStream());
    late = Math.min(late + flow.initialWindowSize() + FRAME, MOST_WINDOWS * most);
  }

  private final class LateDataFlowController extends ForwardingFlowController {
    LateDataFlowController(Http2LocalFlowController real) {
      super(real);
    }

    @Override
    public void receiveFlowControlledFrame(
        @Nullable Http2Stream stream, ByteBuf data, int padding, boolean endOfStream)
        throws Http2Exception {
      // The connection's window is given back at once where there is no stream.
      super.receiveFlowControlledFrame(stream, data, padding, endOfStream);
      if (stream == null && late > 0) {
        late -= FRAME + data.readableBytes() + padding;
        lateFrames.count();
        throw IGNORED;
      }
    }
  }

  @Override
  public ChannelFuture resetStream(
      ChannelHandlerContext ctx, int streamId, long errorCode, ChannelPromise promise) {
    if (streamId == NONE) {
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
        expectLate();
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
