package dev.sluice.transport.grpc;

import dev.sluice.transport.netty.ConnectionInternals;
import dev.sluice.transport.netty.http2.Http2Heads;
import dev.sluice.transport.netty.vertx.EventLoops;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.vertx.core.Context;
import io.vertx.core.http.HttpConnection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one HTTP/2 connection that are answered on its frames. Every other stream of the
 * connection goes on to Vert.x, whose requests and responses would cost such a call more than its
 * own decoding and encoding do.
 *
 * <p>Threads: the event loop of the connection.
 */
final class Http2Calls extends Http2Heads implements IdleCallTimeouts.Member {
  /** Finds who answers a stream. */
  interface Directory {
    /** Returns the call that a stream begins; null if it is none that is answered here. */
    @Nullable Http2Call call(Http2Headers headers, Http2Frames frames, Http2Stream stream);
  }

  private final Directory directory;
  private final Http2Frames frames;
  private final Context context;
  private final Http2Connection.PropertyKey key;

  private Http2Calls(
      Directory directory, Http2Frames frames, Context context, Http2FrameListener others) {
    super(others);
    this.directory = directory;
    this.frames = frames;
    this.context = context;
    this.key = frames.connection().newKey();
  }

  /** Looks at the streams of a connection that has just been opened, before Vert.x does. */
  static void follow(
      HttpConnection connection, Directory directory, IdleCallTimeouts idleTimeouts) {
    ConnectionInternals.http2(connection)
        .ifPresent(handler -> {
          Http2Calls calls = follow(handler, connection, directory);
          idleTimeouts.add(calls);
          ConnectionInternals.channel(connection)
              .closeFuture()
              .addListener(_ -> {
                idleTimeouts.remove(calls);
                calls.closeAll();
              });
        });
  }

  private static Http2Calls follow(
      Http2ConnectionHandler handler, HttpConnection opened, Directory directory) {
    var frames = new Http2Frames(handler, ConnectionInternals.context(opened));
    Http2FrameListener vertx = handler.decoder().frameListener();
    var calls = new Http2Calls(directory, frames, ConnectionInternals.dispatch(opened), vertx);
    handler.decoder().frameListener(calls);
    calls.listenToStreams(frames.connection());
    return calls;
  }

  /**
   * Closes the streams, before the writes under way on the closed channel fail: Vert.x then tells
   * all that are active, and takes those of our calls, and of requests that it has refused, for
   * streams that it knows.
   */
  private void closeAll() {
    List<Http2Stream> active = new ArrayList<>();
    try {
      frames.connection().forEachActiveStream(active::add);
    } catch (Http2Exception e) {
      throw new IllegalStateException("looking at streams never fails", e);
    }
    active.forEach(Http2Stream::close);
  }

  /** Notifies a call that it is cancelled or complete. */
  @Override
  protected void streamClosed(Http2Stream stream) {
    Http2Call call = stream.getProperty(key);
    if (call == null) {
      return;
    }
    if (call.isAnswered()) {
      call.closed();
    } else {
      EventLoops.emit(context, call, Http2Call::closed);
    }
  }

  @Override
  protected @Nullable Http2Headers headRead(int streamId, Http2Headers headers, boolean end) {
    return isOurs(streamId, headers, end) ? null : headers;
  }

  private boolean isOurs(int streamId, Http2Headers headers, boolean endOfStream) {
    Http2Stream stream = frames.connection().stream(streamId);
    Http2Call known = stream.getProperty(key);
    if (known == null && !frames.isOpen()) {
      // What was read together with the end of the connection: see closeAll().
      return false;
    }
    Http2Call call = known == null ? directory.call(headers, frames, stream) : known;
    if (call == null) {
      return false;
    }
    if (known == null) {
      stream.setProperty(key, call);
      EventLoops.emit(context, call, Http2Call::begin);
    }
    if (endOfStream) {
      EventLoops.emit(context, call, Http2Call::end);
    }
    return true;
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    Http2Call call = frames.connection().stream(streamId).getProperty(key);
    if (call == null) {
      return super.onDataRead(ctx, streamId, data, padding, endOfStream);
    }
    int taken = data.readableBytes() + padding;
    if (endOfStream) {
      EventLoops.emit(context, data, call::takeLast);
    } else {
      EventLoops.emit(context, data, call::take);
    }
    return call.window(taken);
  }

  @Override
  public void endIfIdle() {
    try {
      frames.connection().forEachActiveStream(this::endIfIdle);
    } catch (Http2Exception e) {
      throw new IllegalStateException("looking at streams never fails", e);
    }
  }

  private boolean endIfIdle(Http2Stream stream) {
    Http2Call call = stream.getProperty(key);
    if (call != null) {
      EventLoops.emit(context, call, Http2Call::endIfIdle);
    }
    return true;
  }
}
