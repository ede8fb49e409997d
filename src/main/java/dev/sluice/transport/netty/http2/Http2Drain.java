package dev.sluice.transport.netty.http2;

import dev.sluice.transport.connection.ConnectionDrain;
import dev.sluice.transport.connection.LastActivity;
import dev.sluice.transport.netty.ConnectionInternals;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.vertx.core.http.HttpConnection;
import java.util.concurrent.TimeUnit;

/**
 * Drains a connection of HTTP/2 as RFC 9113, section 6.8 describes it: a first GOAWAY asks the
 * client to open no more streams and refuses none, and when the client has answered the PING before
 * it, a second one names the last stream. Streams then finish, and the connection closes behind the
 * last one.
 *
 * <p>A connection that is open when the drain begins is asked as soon as no stream is open, which
 * is right behind the answer of a client that asks one thing after the other, and after a second at
 * the latest: clients by the library h2 give up the streams that are open when they are asked, and
 * take no other frame but GOAWAY from then on. A connection that is accepted later is asked in the
 * same way when the listener closes. On the connection's event loop.
 */
public final class Http2Drain extends Http2FrameListenerDecorator {
  /** The content of the PING that measures the round trip. */
  private static final long PING = 0x5_1D1C_ED1A_1D0FL;

  /** A client that has not answered the PING by then is not waited for. */
  private static final long LONGEST_ROUND_TRIP_MILLIS = 1_000;

  /** A connection that has had a stream all the time until then is not waited for. */
  private static final long LONGEST_BUSY_MILLIS = 1_000;

  /** A client that had just chosen the connection for a request has begun its stream by then. */
  private static final long GRACE_MILLIS = 100;

  /** A stream that no client comes to, and the last but one that there could be. */
  private static final int BEYOND = Integer.MAX_VALUE - 2;

  private final Http2ConnectionHandler handler;
  private final ChannelHandlerContext ctx;
  private final LastActivity opened = new LastActivity();
  private boolean begun;
  private boolean asked;
  private boolean announced;

  private Http2Drain(Http2ConnectionHandler handler, ChannelHandlerContext ctx) {
    super(handler.decoder().frameListener());
    this.handler = handler;
    this.ctx = ctx;
  }

  /** Looks after a connection that has just been opened, before all that listen to its frames. */
  public static void join(HttpConnection connection) {
    ConnectionInternals.http2(connection)
        .ifPresent(handler -> {
          ChannelHandlerContext ctx = ConnectionInternals.context(connection);
          var frames = new Http2Drain(handler, ctx);
          handler.decoder().frameListener(frames);
          ctx.pipeline().addBefore(ctx.name(), null, frames.new Events());
        });
  }

  private final class Events extends ChannelInboundHandlerAdapter {
    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
      if (event == ConnectionDrain.Step.BEGIN || ConnectionInternals.isShutdown(event)) {
        begin();
      } else {
        at.fireUserEventTriggered(event);
      }
    }
  }

  private void begin() {
    if (begun) {
      return;
    }
    begun = true;
    handler.connection().addListener(new StreamEnds(_ -> pingIfIdle()));
    var _ = ctx.executor().schedule(this::ask, LONGEST_BUSY_MILLIS, TimeUnit.MILLISECONDS);
    pingIfIdle();
  }

  private void pingIfIdle() {
    if (handler.connection().numActiveStreams() == 0 && !isAboutToBegin()) {
      ask();
    }
  }

  /** Returns whether the client has just opened the connection, for a stream that is on its way. */
  private boolean isAboutToBegin() {
    return handler.connection().remote().lastStreamCreated() == 0 && opened.isRecent();
  }

  private void ask() {
    if (asked || !ctx.channel().isActive()) {
      return;
    }
    asked = true;
    var _ = handler.encoder().writePing(ctx, false, PING, ctx.newPromise());
    goAway(Integer.MAX_VALUE);
    ctx.flush();
    announceIn(LONGEST_ROUND_TRIP_MILLIS);
  }

  private void announceIn(long millis) {
    var _ = ctx.executor().schedule(this::tell, millis, TimeUnit.MILLISECONDS);
  }

  private void goAway(int lastStream) {
    var _ =
        handler.goAway(
            ctx, lastStream, Http2Error.NO_ERROR.code(), Unpooled.EMPTY_BUFFER, ctx.newPromise());
  }

  @Override
  public void onPingAckRead(ChannelHandlerContext at, long data) throws Http2Exception {
    if (asked && data == PING) {
      announceIn(GRACE_MILLIS);
    } else {
      super.onPingAckRead(at, data);
    }
  }

  private void tell() {
    if (announced || !ctx.channel().isActive()) {
      return;
    }
    announced = true;
    int last = handler.connection().remote().lastStreamCreated();
    expectFramesOfRefusedStreams();
    goAway(last);
    ctx.flush();
    // Netty waits for the streams that are open; the drain's end bounds that.
    handler.gracefulShutdownTimeoutMillis(-1);
    var _ = ctx.channel().close();
  }

  /**
   * Makes Netty ignore the frames of streams above the last one. It ignores their HEADERS, and
   * takes what follows for frames of streams that never were, which ends the connection: unless
   * there was a later stream.
   */
  private void expectFramesOfRefusedStreams() {
    Http2Connection.Endpoint<?> client = handler.connection().remote();
    if (client.lastStreamCreated() < BEYOND && client.canOpenStream()) {
      try {
        client.createStream(BEYOND, true).close();
      } catch (Http2Exception e) {
        throw new IllegalStateException("a stream that may be opened can be", e);
      }
    }
  }
}
