package dev.sluice.transport.netty.http2;

import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.connection.ClientAddress;
import dev.sluice.transport.connection.RateLimitedLog;
import dev.sluice.transport.connection.RequestMemory;
import dev.sluice.transport.netty.ConnectionInternals;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Charges what an HTTP/2 connection holds beside its requests' own accounts: bytes that arrived and
 * that no request has taken yet, since it is paused, and the heads of all open streams, whose
 * objects {@link Http2StreamMemory} counts. Beyond the budget nothing more is read of the
 * connection; if there is no memory after two seconds, the streams that wait for their client are
 * reset with ENHANCE_YOUR_CALM, which gRPC clients report as RESOURCE_EXHAUSTED. On the
 * connection's event loop.
 *
 * <p>Bytes that a request takes into memory that it has reserved are consumed: their window is
 * returned before the message is whole. Otherwise requests that share a window could wait for each
 * other without an end.
 */
public final class Http2Memory extends Http2Heads {
  private static final RateLimitedLog LOG =
      new RateLimitedLog(LoggerFactory.getLogger(Http2Memory.class));

  /** Bytes of each connection that are not charged. */
  private static final int UNCHARGED = 6 * 1024;

  /** Bytes that are charged at once. */
  private static final int STEP = 16 * 1024;

  /** Interval at which a connection that is not read polls for memory, and the number of polls. */
  private static final long POLL_MILLIS = 20;

  private static final int MOST_LOOKS = 100;

  /** Number of further polls after streams were reset. */
  private static final int MOST_LOOKS_AFTER_RESET = 10;

  private static final AttributeKey<Http2Memory> KEY =
      AttributeKey.valueOf(Http2Memory.class, "of");

  /** Bytes of a header beside those of its name and its value. */
  private static final int HEADER = 128;

  private final Http2ConnectionHandler handler;
  private final ChannelHandlerContext ctx;
  private final RequestMemory memory;
  private final MemoryAccount account;
  private final ReceiveFlowController window;
  private final Http2Connection.PropertyKey headKey;
  private long heads;
  private long elsewhere;
  private long charged;
  private boolean paused;
  private int polls;
  private List<Integer> reset = List.of();

  private Http2Memory(
      Http2ConnectionHandler handler, ChannelHandlerContext ctx, RequestMemory memory) {
    super(handler.decoder().frameListener());
    this.handler = handler;
    this.ctx = ctx;
    this.memory = memory;
    account = memory.account(ctx.channel());
    headKey = handler.connection().newKey();
    window = ReceiveFlowController.of(handler.connection());
  }

  /** Charges what a connection holds that has just been opened, if it speaks HTTP/2. */
  public static void join(HttpConnection connection, RequestMemory memory) {
    ConnectionInternals.http2(connection)
        .ifPresent(handler -> {
          ChannelHandlerContext ctx = ConnectionInternals.context(connection);
          var held = new Http2Memory(handler, ctx, memory);
          handler.decoder().frameListener(held);
          held.window.whenConsumed(held::update);
          held.listenToStreams(handler.connection());
          ctx.channel().attr(KEY).set(held);
          ctx.channel().closeFuture().addListener(_ -> held.account.close());
        });
  }

  /** Returns the memory of a connection; null if it speaks no HTTP/2, or is no listener's. */
  public static @Nullable Http2Memory of(Channel channel) {
    return channel.attr(KEY).get();
  }

  /** Requests charge so many bytes more, or fewer, of those that they have not consumed. */
  public void chargedElsewhere(int more) {
    elsewhere += more;
    update();
  }

  @Override
  protected Http2Headers headRead(int streamId, Http2Headers headers, boolean end) {
    @Nullable Http2Stream stream = handler.connection().stream(streamId);
    if (stream != null) {
      Integer before = stream.getProperty(headKey);
      int size = size(headers) + (before == null ? 0 : before);
      stream.setProperty(headKey, size);
      heads += size - (before == null ? 0 : before);
      update();
    }
    return headers;
  }

  private static int size(Http2Headers headers) {
    int size = 0;
    for (Map.Entry<CharSequence, CharSequence> header : headers) {
      size += header.getKey().length() + header.getValue().length() + HEADER;
    }
    return size;
  }

  /**
   * Stands before all other handlers while nothing is read: Netty's handlers of HTTP/2 and TLS ask
   * for more bytes whatever auto-read says.
   */
  @Sharable
  private static final class ReadStop extends ChannelOutboundHandlerAdapter {
    private static final ReadStop INSTANCE = new ReadStop();

    @Override
    public void read(ChannelHandlerContext at) {
      // Auto-read is on again when this handler is removed, and reads on.
    }
  }

  @Override
  protected void streamClosed(Http2Stream stream) {
    Integer size = stream.removeProperty(headKey);
    if (size != null) {
      heads -= size;
    }
    update();
  }

  private long held() {
    int unconsumed = window.unconsumedBytes(handler.connection().connectionStream());
    return heads + unconsumed - elsewhere;
  }

  private static long target(long held) {
    return (Math.max(0, held - UNCHARGED) + STEP - 1) / STEP * STEP;
  }

  /** Charges what is held by now, in steps, so that most connections never do. */
  private void update() {
    long held = held();
    if (held > charged + UNCHARGED) {
      if (!paused && !tryCharge()) {
        pause();
      }
    } else if (charged > 0 && held <= charged - STEP + UNCHARGED / 2) {
      account.release(Kind.BODY, charged - target(held));
      charged = target(held);
    }
  }

  private boolean tryCharge() {
    long target = target(held());
    if (target > charged) {
      long more = target - charged;
      // Small sizes may use all of the budget, but not what is small only since it grows in steps.
      if (account.budget().free(Long.MAX_VALUE) < more || !account.tryCharge(Kind.BODY, more)) {
        return false;
      }
      charged = target;
    }
    return true;
  }

  private void pause() {
    paused = true;
    polls = 0;
    ctx.channel().config().setAutoRead(false);
    ctx.pipeline().addFirst(ReadStop.INSTANCE);
    var _ = ctx.executor().schedule(this::look, POLL_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    if (!ctx.channel().isActive()) {
      return;
    }
    if (tryCharge()) {
      resume();
      return;
    }
    polls++;
    if (polls == MOST_LOOKS) {
      var _ = memory.busy(account.refusal(Kind.BODY, target(held()) - charged));
      reset = resetWaiting();
    }
    if (polls < MOST_LOOKS + MOST_LOOKS_AFTER_RESET) {
      var _ = ctx.executor().schedule(this::look, POLL_MILLIS, TimeUnit.MILLISECONDS);
    } else if (reset.stream().anyMatch(stream -> handler.connection().stream(stream) != null)) {
      close();
    } else {
      long left = Math.max(0, target(held()) - charged);
      account.force(Kind.BODY, left);
      charged += left;
      resume();
    }
  }

  /** Streams end when their reset is written: a client that does not read keeps all that it has. */
  @SuppressWarnings("FutureReturnValueIgnored") // A channel that closes is what is wanted.
  private void close() {
    LOG.at(Level.INFO, "unread")
        .addKeyValue("client", ClientAddress.of(ctx.channel()))
        .log(
            "a connection is closed: no memory for its streams, whose reset its client does not"
                + " read");
    ctx.close();
  }

  private void resume() {
    paused = false;
    ctx.pipeline().remove(ReadStop.INSTANCE);
    ctx.channel().config().setAutoRead(true);
    update();
  }

  /**
   * Resets the streams that wait for their client: to send the rest, or to take an answer.
   *
   * @return their numbers
   */
  private List<Integer> resetWaiting() {
    List<Http2Stream> waiting = new ArrayList<>();
    try {
      handler
          .connection()
          .forEachActiveStream(stream -> {
            if (waitsForClient(stream)) {
              waiting.add(stream);
            }
            return true;
          });
    } catch (Http2Exception e) {
      throw new IllegalStateException("looking at streams never fails", e);
    }
    for (Http2Stream stream : waiting) {
      long code = Http2Error.ENHANCE_YOUR_CALM.code();
      var _ = handler.resetStream(ctx, stream.id(), code, ctx.newPromise());
    }
    ctx.flush();
    return waiting.stream().map(Http2Stream::id).toList();
  }

  private boolean waitsForClient(Http2Stream stream) {
    return stream.state().remoteSideOpen()
        || window.unconsumedBytes(stream) > 0
        || handler.encoder().flowController().hasFlowControlled(stream);
  }
}
