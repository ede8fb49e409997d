package dev.sluice.transport.netty.http2;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.transport.connection.ClientAddress;
import dev.sluice.transport.connection.RateLimitedLog;
import dev.sluice.transport.netty.ConnectionGuard;
import dev.sluice.transport.netty.ConnectionInternals;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AsciiString;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Looks after the frames and streams of an HTTP/2 connection: resets streams whose client sends its
 * body too slowly or opens no window for the answer, and closes a connection that is flooded with
 * frames that cost a client next to nothing. On the connection's event loop.
 *
 * <p>Netty itself limits resets, empty DATA frames, small CONTINUATION frames, and answers to
 * control frames that are not read.
 */
public final class Http2Guard extends Http2Heads {
  private static final RateLimitedLog LOG =
      new RateLimitedLog(LoggerFactory.getLogger(Http2Guard.class));

  /**
   * In a fiftieth of a second. Clients of gRPC measure round trips with a PING for each, some
   * thousands a second at most, and send the next one when the answer has come: many at once only
   * keep the event loop from its other connections.
   */
  private static final int MOST_PINGS = 200;

  private static final long PINGS_NANOS = 20_000_000;

  /** Clients change settings once, or as they learn about the network. */
  private static final int MOST_SETTINGS = 100;

  /** Window updates, priorities, and frames of unknown types. */
  private static final int MOST_OTHERS = 50_000;

  /** DATA frames that are shorter than a message's head, and do not end their stream. */
  private static final int MOST_TINY = 1_000;

  private static final int TINY = 5;

  /** Characters of a path that is remembered: methods of gRPC are shorter, hostile paths longer. */
  private static final int LONGEST_KEPT_PATH = 128;

  private final Http2ConnectionHandler handler;
  private final ChannelHandlerContext ctx;
  private final ConnectionGuard guard;
  private final Predicate<String> streaming;
  private final long writeTime;
  private final long grace;
  private final long leastBytes;
  private final int mostFields;
  private final Http2Connection.PropertyKey looksKey;
  private final Http2Connection.PropertyKey streamingKey;
  private final FrameFlood pings = new FrameFlood("PING", MOST_PINGS, PINGS_NANOS);
  private final FrameFlood settings = new FrameFlood("SETTINGS", MOST_SETTINGS, FrameFlood.SECOND);
  private final FrameFlood others =
      new FrameFlood("WINDOW_UPDATE, PRIORITY or unknown", MOST_OTHERS, FrameFlood.SECOND);
  private final FrameFlood tiny = new FrameFlood("tiny DATA", MOST_TINY, FrameFlood.SECOND);
  private long connectionOpened = System.nanoTime();
  private @Nullable CharSequence lastPath;
  private boolean lastStreams;

  private static final AttributeKey<Http2Guard> KEY = AttributeKey.valueOf(Http2Guard.class, "of");

  /** Polls of a stream that is older than one poll interval. */
  private static final class Looks {
    /** Whether an answer waits outside of Netty's flow control, which Vert.x does. */
    private boolean answering;

    private boolean pending;
    private long pendingSince;
    private long windowOpened;
    private boolean arriving;
    private long arrivingSince;
    private long bytes;
  }

  private Http2Guard(
      Http2ConnectionHandler handler,
      ChannelHandlerContext ctx,
      ConnectionGuard guard,
      LimitsConfig limits,
      Predicate<String> streaming) {
    super(handler.decoder().frameListener());
    this.handler = handler;
    this.ctx = ctx;
    this.guard = guard;
    this.streaming = streaming;
    writeTime = ConnectionGuard.nanos(limits.connection().writeTimeout());
    grace = ConnectionGuard.nanos(limits.connection().headerTimeout());
    leastBytes = limits.connection().minUploadRate();
    mostFields = limits.connection().maxHeaderFields();
    looksKey = handler.connection().newKey();
    streamingKey = handler.connection().newKey();
  }

  /**
   * Looks after a connection that has just been opened, before all others that listen to its
   * frames.
   *
   * @param streaming whether a path is that of a call whose client may be silent between messages
   */
  public static void join(
      HttpConnection connection, LimitsConfig limits, Predicate<String> streaming) {
    ConnectionInternals.http2(connection)
        .ifPresent(handler -> {
          ChannelHandlerContext ctx = ConnectionInternals.context(connection);
          ConnectionGuard guard = ConnectionGuard.of(ctx.channel());
          if (guard != null) {
            var frames = new Http2Guard(handler, ctx, guard, limits, streaming);
            handler.decoder().frameListener(frames);
            guard.lookToo(frames::look);
            ctx.channel().attr(KEY).set(frames);
          }
        });
  }

  private void look(long now) {
    try {
      handler.connection().forEachActiveStream(stream -> look(stream, now));
    } catch (Http2Exception e) {
      throw new IllegalStateException("looking at streams never fails", e);
    }
  }

  /**
   * Notes that an answer begins. Vert.x keeps one whose stream has no window from Netty, head and
   * all, so that nothing is seen to wait. On the connection's event loop.
   */
  public static void answering(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      Channel channel = ConnectionInternals.channel(request.connection());
      @Nullable Http2Guard guard = channel.attr(KEY).get();
      if (guard != null) {
        guard.answering((int) request.streamId());
      }
    }
  }

  private void answering(int streamId) {
    @Nullable Http2Stream stream = handler.connection().stream(streamId);
    if (stream != null && !handler.encoder().flowController().isWritable(stream)) {
      looks(stream).answering = true;
    }
  }

  private Looks looks(Http2Stream stream) {
    Looks polls = stream.getProperty(looksKey);
    if (polls == null) {
      polls = new Looks();
      stream.setProperty(looksKey, polls);
    }
    return polls;
  }

  private boolean look(Http2Stream stream, long now) {
    Looks polls = looks(stream);
    if (isUnread(stream, polls, now)) {
      reset(stream, "unread", "a stream is reset: its client does not read");
    } else if (isTooSlow(stream, polls, now)) {
      reset(stream, "slow", "a stream is reset: the body of its request arrives too slowly");
    }
    return true;
  }

  private boolean isUnread(Http2Stream stream, Looks polls, long now) {
    var flow = handler.encoder().flowController();
    boolean pending =
        flow.hasFlowControlled(stream) || (polls.answering && !flow.isWritable(stream));
    if (pending && !polls.pending) {
      polls.pendingSince = now;
    }
    polls.pending = pending;
    if (!pending || now - polls.pendingSince < writeTime) {
      return false;
    }
    Http2Stream connection = handler.connection().connectionStream();
    return (flow.windowSize(stream) <= 0 && now - polls.windowOpened >= writeTime)
        || (flow.windowSize(connection) <= 0 && now - connectionOpened >= writeTime);
  }

  private boolean isTooSlow(Http2Stream stream, Looks polls, long now) {
    boolean arriving =
        !stream.state().remoteSideOpen() ? false : stream.getProperty(streamingKey) == null;
    var flow = handler.connection().local().flowController();
    boolean mayCome =
        ctx.channel().config().isAutoRead()
            && flow.windowSize(stream) > 0
            && flow.windowSize(handler.connection().connectionStream()) > 0;
    if (!arriving || !polls.arriving || !mayCome) {
      polls.arriving = arriving;
      polls.arrivingSince = now;
      polls.bytes = 0;
      return false;
    }
    long time = now - polls.arrivingSince;
    if (time < grace) {
      return false;
    }
    boolean tooSlow = polls.bytes + guard.bytesOfFrame() < leastBytes * (time / 1e9);
    polls.arrivingSince = now;
    polls.bytes = 0;
    return tooSlow;
  }

  private void reset(Http2Stream stream, String kind, String text) {
    LOG.at(Level.INFO, kind)
        .addKeyValue("client", ClientAddress.of(ctx.channel()))
        .addKeyValue("stream", stream.id())
        .log(text);
    var _ = handler.resetStream(ctx, stream.id(), Http2Error.CANCEL.code(), ctx.newPromise());
    ctx.flush();
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext at, int streamId, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    guard.frameRead();
    int length = data.readableBytes();
    if (length < TINY && !endOfStream) {
      tiny.count();
    }
    Http2Stream stream = handler.connection().stream(streamId);
    Looks polls = stream == null ? null : stream.getProperty(looksKey);
    if (polls != null) {
      polls.bytes += length;
    }
    return super.onDataRead(at, streamId, data, padding, endOfStream);
  }

  @Override
  protected Http2Headers headRead(int streamId, Http2Headers headers, boolean end)
      throws Http2Exception {
    guard.frameRead();
    Http2Validity.checkCount(streamId, headers, mostFields);
    Http2Validity.check(streamId, headers);
    boolean streams = isOfStream(streamId, headers.path());
    if (streams && !end) {
      @Nullable Http2Stream stream = handler.connection().stream(streamId);
      if (stream != null) {
        stream.setProperty(streamingKey, Boolean.TRUE);
      }
    }
    return headers;
  }

  /**
   * Checks a path, unless it is the one of the stream before, and returns whether it is that of a
   * call whose client may be silent. At trailers there is none.
   */
  private boolean isOfStream(int streamId, @Nullable CharSequence path) throws Http2Exception {
    if (path == null) {
      return false;
    }
    if (!AsciiString.contentEquals(path, lastPath)) {
      Http2Validity.checkPath(streamId, path);
      lastStreams = streaming.test(path.toString());
      lastPath = path.length() <= LONGEST_KEPT_PATH ? path : null;
    }
    return lastStreams;
  }

  @Override
  public void onWindowUpdateRead(ChannelHandlerContext at, int streamId, int increment)
      throws Http2Exception {
    guard.frameRead();
    others.count();
    if (streamId == 0) {
      connectionOpened = System.nanoTime();
    } else {
      Http2Stream stream = handler.connection().stream(streamId);
      Looks polls = stream == null ? null : stream.getProperty(looksKey);
      if (polls != null) {
        polls.windowOpened = System.nanoTime();
      }
    }
    super.onWindowUpdateRead(at, streamId, increment);
  }

  @Override
  public void onPingRead(ChannelHandlerContext at, long data) throws Http2Exception {
    guard.frameRead();
    pings.count();
    super.onPingRead(at, data);
  }

  @Override
  public void onPingAckRead(ChannelHandlerContext at, long data) throws Http2Exception {
    guard.frameRead();
    pings.count();
    super.onPingAckRead(at, data);
  }

  @Override
  public void onSettingsRead(ChannelHandlerContext at, Http2Settings changed)
      throws Http2Exception {
    guard.frameRead();
    settings.count();
    super.onSettingsRead(at, changed);
  }

  @Override
  public void onSettingsAckRead(ChannelHandlerContext at) throws Http2Exception {
    guard.frameRead();
    settings.count();
    super.onSettingsAckRead(at);
  }

  @Override
  public void onPriorityRead(
      ChannelHandlerContext at, int streamId, int dependency, short weight, boolean exclusive)
      throws Http2Exception {
    guard.frameRead();
    others.count();
    super.onPriorityRead(at, streamId, dependency, weight, exclusive);
  }

  @Override
  public void onRstStreamRead(ChannelHandlerContext at, int streamId, long code)
      throws Http2Exception {
    guard.frameRead();
    super.onRstStreamRead(at, streamId, code);
  }

  @Override
  public void onUnknownFrame(
      ChannelHandlerContext at, byte type, int streamId, Http2Flags flags, ByteBuf payload)
      throws Http2Exception {
    guard.frameRead();
    others.count();
    super.onUnknownFrame(at, type, streamId, flags, payload);
  }
}
