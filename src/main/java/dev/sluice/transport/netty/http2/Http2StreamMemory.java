package dev.sluice.transport.netty.http2;

import dev.sluice.transport.connection.ClientAddress;
import dev.sluice.transport.connection.ConnectionMemory;
import dev.sluice.transport.connection.RateLimitedLog;
import dev.sluice.transport.netty.ConnectionInternals;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.vertx.core.http.HttpConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Takes {@link ConnectionMemory} for the open streams of an HTTP/2 connection, and refuses a stream
 * for which there is none with REFUSED_STREAM, before any object of a request is made: clients may
 * send it again (RFC 9113, section 8.7). On the connection's event loop.
 */
public final class Http2StreamMemory extends Http2Heads {
  private static final RateLimitedLog LOG =
      new RateLimitedLog(LoggerFactory.getLogger(Http2StreamMemory.class));

  /** Streams for which memory is taken and given back at once, so that most streams do neither. */
  private static final int STEP = 4;

  private final Http2ConnectionHandler handler;
  private final ChannelHandlerContext ctx;
  private final ConnectionMemory memory;
  private final Http2Connection.PropertyKey countedKey;
  private int open;
  private int taken;

  private Http2StreamMemory(
      Http2ConnectionHandler handler, ChannelHandlerContext ctx, ConnectionMemory memory) {
    super(handler.decoder().frameListener());
    this.ctx = ctx;
    this.handler = handler;
    this.memory = memory;
    this.countedKey = handler.connection().newKey();
  }

  /** Counts the streams of a connection that has just been opened, if it speaks HTTP/2. */
  public static void join(HttpConnection connection, ConnectionMemory memory) {
    ConnectionInternals.http2(connection)
        .ifPresent(handler -> {
          ChannelHandlerContext ctx = ConnectionInternals.context(connection);
          var streams = new Http2StreamMemory(handler, ctx, memory);
          handler.decoder().frameListener(streams);
          streams.listenToStreams(handler.connection());
          ctx.channel().closeFuture().addListener(_ -> streams.closed());
        });
  }

  @Override
  protected Http2Headers headRead(int streamId, Http2Headers headers, boolean end)
      throws Http2Exception {
    @Nullable Http2Stream stream = handler.connection().stream(streamId);
    if (stream != null && stream.getProperty(countedKey) == null) {
      if (open == taken && !tryTake()) {
        throw refused(streamId);
      }
      open++;
      stream.setProperty(countedKey, Boolean.TRUE);
    }
    return headers;
  }

  private Http2Exception refused(int streamId) {
    String why = memory.refuseStream();
    LOG.at(Level.WARN, "streams").addKeyValue("client", ClientAddress.of(ctx.channel())).log(why);
    return Http2Exception.streamError(streamId, Http2Error.REFUSED_STREAM, "%s", why);
  }

  /** Takes memory for one stream where there is none yet, so that idle connections keep little. */
  private boolean tryTake() {
    int more = taken == 0 ? 1 : STEP;
    if (memory.tryTakeStreams(more, taken)) {
      taken += more;
      return true;
    }
    return false;
  }

  @Override
  protected void streamClosed(Http2Stream stream) {
    if (stream.removeProperty(countedKey) != null) {
      open--;
      if (taken - open >= 2 * STEP) {
        taken -= STEP;
        memory.giveStreams(STEP);
      }
    }
  }

  private void closed() {
    memory.giveStreams(taken);
    taken = 0;
    open = 0;
  }
}
