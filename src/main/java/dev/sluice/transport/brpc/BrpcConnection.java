package dev.sluice.transport.brpc;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.security.UnixPeer;
import dev.sluice.telemetry.access.AccessEntry;
import dev.sluice.telemetry.access.AccessLog;
import dev.sluice.telemetry.access.CallStages;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.ByteCollector;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.MessageTurns;
import dev.sluice.transport.connection.ClientAddress;
import dev.sluice.transport.connection.LastActivity;
import dev.sluice.transport.connection.RateLimitedLog;
import dev.sluice.transport.connection.RequestMemory;
import dev.sluice.transport.netty.ConnectionCredentials;
import dev.sluice.transport.netty.ConnectionInternals;
import dev.sluice.transport.netty.vertx.EventLoops;
import dev.sluice.transport.netty.vertx.NettyBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One client's connection: its calls come in by frames, and leave when they are done.
 *
 * <p>Backpressure in both directions: reading stops while too many calls or bytes are in flight, or
 * while the client does not take its answers.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failed write closes the channel.
final class BrpcConnection extends ChannelInboundHandlerAdapter implements FrameReader.Frames {
  private static final Logger LOG = LoggerFactory.getLogger(BrpcConnection.class);
  private static final RateLimitedLog FAULTS = new RateLimitedLog(LOG);

  /** Calls under way at which reading stops: as many as an HTTP/2 client may have streams. */
  private static final int MOST_CALLS = 1_000;

  /** Bytes of their messages at which it stops, too: as many as an HTTP/2 connection's window. */
  private static final long MOST_BYTES = 16L * 1024 * 1024;

  /** Answers that are not written yet, with which no further frame is read. */
  private static final int MOST_UNWRITTEN = 64;

  /** Bytes of a call beside those of its message: its objects, and a small answer. */
  private static final int CALL = 1024;

  /**
   * Grace period in which everything arrives that a client sent before it could know that the
   * listener closes.
   */
  private static final long GRACE_MILLIS = 200;

  /** Clients that go on calling after calls were refused for so long are not listened to. */
  private static final long LONGEST_REFUSAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final BrpcDispatcher dispatcher;
  private final Context context;
  private final FrameReader reader;
  private final Runnable whole;
  private final Set<BrpcCall> underWay = new HashSet<>();
  private long bytesUnderWay;

  /** Bytes that have arrived and are not read yet. Owned. */
  private final Queue<ByteBuf> arrived = new ArrayDeque<>();

  /** Answers whose write is not complete. */
  private int unwritten;

  private boolean reading;

  /** Frames are read in a later turn of the event loop. */
  private boolean waiting;

  /** Holds the memory of the frame that is being read. */
  private MemoryAccount arriving;

  /** The listener closes: calls are answered for a grace period, while the client may not know. */
  private boolean closing;

  /** Calls that come now are refused with ELOGOFF, for which clients go to another server. */
  private boolean stopping;

  private long stoppingSince;
  private final LastActivity activity = new LastActivity();
  private ChannelHandlerContext channel;

  @SuppressWarnings("NullAway.Init") // All is there when the handler was added to a channel.
  BrpcConnection(BrpcDispatcher dispatcher, Context context, Runnable whole) {
    this.dispatcher = dispatcher;
    this.context = context;
    this.whole = whole;
    this.reader = new FrameReader(dispatcher.context().limits().maxBodySize(), this);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    channel = ctx;
    arriving = account();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    activity.touch();
    arrived.add((ByteBuf) message);
    readFrames();
  }

  /** Reads the frames that have arrived, as long as their answers are taken. */
  private void readFrames() {
    if (reading) {
      return;
    }
    reading = true;
    try {
      while (!arrived.isEmpty() && !isBehind() && mayRead()) {
        readFrame(arrived.element());
      }
    } finally {
      reading = false;
    }
    decideWhetherToRead();
  }

  private void readFrame(ByteBuf bytes) {
    try {
      reader.read(bytes);
    } finally {
      if (!bytes.isReadable() && arrived.remove(bytes)) {
        bytes.release();
      }
    }
  }

  /** Returns whether the turn of the event loop lasts; if not, frames are read in a later one. */
  private boolean mayRead() {
    if (waiting) {
      return false;
    }
    waiting = !turns().tryTake();
    if (waiting) {
      turns()
          .await(() -> {
            waiting = false;
            readFrames();
          });
    }
    return !waiting;
  }

  private MessageTurns turns() {
    return dispatcher.turns(action -> later(MessageTurns.TURN_MILLIS, action));
  }

  @Override
  public boolean admits(RpcMeta meta, long length) {
    if (length > arriving.budget().largestBody()) {
      fail(
          meta,
          0,
          BrpcError.BAD_REQUEST,
          ErrorCode.TOO_LARGE,
          "the message has %d bytes, of which the memory budget holds %d at most (setting limits.memory)"
              .formatted(length, arriving.budget().largestBody()));
      return false;
    }
    if (!RequestMemory.tryHold(arriving, length, held(meta) + length)) {
      InferenceException busy = context().memory().busy(arriving.refusal(Kind.BODY, length));
      fail(meta, 0, BrpcError.of(busy.code()), busy.code(), busy.getMessage());
      return false;
    }
    return true;
  }

  private static long held(RpcMeta meta) {
    return CALL + meta.headers().bytes();
  }

  @Override
  public void frame(RpcMeta meta, ByteCollector body) {
    arriving.releaseAll(Kind.BODY);
    whole.run();
    if (stopping) {
      fail(meta, body.size(), BrpcError.STOPPING, ErrorCode.UNAVAILABLE, "the server is stopping");
      return;
    }
    try {
      var call =
          new BrpcCall(this, dispatcher.method(meta), meta, body, dispatcher.requestId(meta));
      call.memory().force(Kind.BODY, held(meta) + body.size());
      underWay.add(call);
      bytesUnderWay += body.size();
      EventLoops.emit(context, call, BrpcCall::start);
    } catch (BrpcDispatcher.NoMethod e) {
      fail(meta, body.size(), e.code(), ErrorCode.NOT_FOUND, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void tooLarge(RpcMeta meta, long length) {
    fail(
        meta,
        length,
        BrpcError.BAD_REQUEST,
        ErrorCode.TOO_LARGE,
        "the message has %d bytes, the limit is %d (setting limits.max_body_size)"
            .formatted(length, dispatcher.context().limits().maxBodySize()));
    closeWhenSent();
  }

  @Override
  public void malformed(String why) {
    FAULTS
        .at(Level.INFO, "malformed")
        .addKeyValue("client", ClientAddress.of(channel.channel()))
        .log("a brpc connection is closed: {}", why);
    channel.close();
  }

  private void fail(RpcMeta meta, long bytes, int code, ErrorCode why, String text) {
    logAccess(meta, bytes, code, why);
    write(BrpcReply.to(meta).failure(code, BoundedText.ofError(text)));
  }

  /** Logs a call that is refused before it begins. */
  private void logAccess(RpcMeta meta, long bytes, int code, ErrorCode why) {
    AccessLog log = context().accessLog();
    if (log != null) {
      var stages = new CallStages(context().nanoTime().getAsLong());
      stages.failed(why);
      stages.ended(context().nanoTime().getAsLong());
      log.log(
          AccessEntry.of(
              new AccessEntry.Client(client(), context().access().listener(), ""),
              target(meta, dispatcher.requestId(meta)),
              new AccessEntry.Answer(AccessEntry.NONE, code, bytes, 0),
              stages,
              false));
    }
  }

  /** Returns what a call addresses, for the access log. */
  AccessEntry.Target target(RpcMeta meta, String requestId) {
    return new AccessEntry.Target("brpc", "", BrpcCall.path(meta), requestId);
  }

  private ChannelFuture write(Buffer frame) {
    unwritten++;
    return channel
        .writeAndFlush(NettyBuffers.bytes(frame))
        .addListener(_ -> {
          unwritten--;
          readFrames();
        });
  }

  private void closeWhenSent() {
    channel
        .writeAndFlush(io.netty.buffer.Unpooled.EMPTY_BUFFER)
        .addListener(ChannelFutureListener.CLOSE);
  }

  /** Returns its client's address; null on a Unix domain socket. */
  @Nullable Object client() {
    return ClientAddress.of(channel.channel());
  }

  /** Returns the process that has opened it; null if it has come by a port. */
  @Nullable UnixPeer unixPeer() {
    return ConnectionCredentials.unixPeer(channel.channel());
  }

  /** Returns the account of a new call. */
  MemoryAccount account() {
    return context().memory().account(channel.channel());
  }

  /** Returns the state that all requests of the listener share. */
  ListenerContext context() {
    return dispatcher.context();
  }

  /** Sends the answer of a call that has ended, if there is still someone to take it. */
  void answer(BrpcCall call, Buffer frame) {
    if (underWay.remove(call)) {
      bytesUnderWay -= call.size();
      write(frame).addListener(_ -> call.sent());
      readFrames();
    }
  }

  private boolean isBehind() {
    return underWay.size() >= MOST_CALLS
        || bytesUnderWay >= MOST_BYTES
        || unwritten >= MOST_UNWRITTEN
        || !channel.channel().isWritable();
  }

  private void decideWhetherToRead() {
    channel.channel().config().setAutoRead(arrived.isEmpty() && !isBehind());
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    readFrames();
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (ConnectionInternals.isShutdown(event)) {
      stop();
    } else if (event instanceof IdleStateEvent) {
      ctx.close();
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  /**
   * Called when the listener closes. The protocol has nothing that tells a client so but the answer
   * to a call: the connection is closed when all calls are answered and no more come.
   */
  private void stop() {
    if (!closing) {
      closing = true;
      later(GRACE_MILLIS, this::refuse);
    }
  }

  private void refuse() {
    stopping = true;
    stoppingSince = System.nanoTime();
    closeIfIdle();
  }

  private void closeIfIdle() {
    if (!channel.channel().isActive()) {
      return;
    }
    boolean refused = System.nanoTime() - stoppingSince >= LONGEST_REFUSAL_NANOS;
    boolean over = activity.isOver() || (refused && reader.isBetweenFrames());
    if (over && underWay.isEmpty() && arrived.isEmpty()) {
      closeWhenSent();
    } else {
      later(LastActivity.POLL_MILLIS, this::closeIfIdle);
    }
  }

  private void later(long millis, Runnable action) {
    channel.executor().schedule(action, millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    List<BrpcCall> left = new ArrayList<>(underWay);
    underWay.clear();
    arrived.forEach(ByteBuf::release);
    arrived.clear();
    arriving.close();
    left.forEach(BrpcCall::cancelled);
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.debug("a brpc connection failed", cause);
    ctx.close();
  }

  /** Tells the log, and gives the frame, of a call that failed. */
  Buffer failed(BrpcCall call, BrpcReply reply, Throwable failure) {
    if (failure instanceof InferenceException known) {
      context().failed(call, known);
      return reply.failure(BrpcError.of(known.code()), String.valueOf(known.getMessage()));
    }
    context().bug(call, failure);
    return reply.failure(BrpcError.INTERNAL, "internal error");
  }
}
