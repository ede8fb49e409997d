package dev.sluice.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.vertx.core.http.impl.tcp.Http1xOrH2CHandler;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.impl.VertxHandler;
import org.jspecify.annotations.Nullable;

/**
 * Protocol detection: looks at the first bytes of a new connection and removes itself; a connection
 * that speaks HTTP or TLS goes on unchanged, one that speaks the listener's other protocol is taken
 * over.
 *
 * <p>Its listener is found by the context that Vert.x has given the connection.
 */
public final class ProtocolDetector extends ChannelInboundHandlerAdapter {
  /** The binding in the context of a listener's verticle. */
  public record Binding(DetectedProtocol dispatcher) {}

  /** Bytes that tell the preface of HTTP/2 from every method of HTTP/1.1. */
  private static final int DECIDING = 4;

  private ByteBuf seen = Unpooled.EMPTY_BUFFER;

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = seen.isReadable() ? join((ByteBuf) message) : (ByteBuf) message;
    seen = Unpooled.EMPTY_BUFFER;
    ContextInternal context = context(ctx.pipeline());
    Binding binding = context == null ? null : context.get(Binding.class);
    if (context == null
        || binding == null
        || !couldBegin(bytes, binding.dispatcher().firstBytes())) {
      goOn(ctx, bytes);
    } else if (bytes.readableBytes() < binding.dispatcher().firstBytes().length) {
      seen = bytes;
    } else {
      takeOver(ctx, binding.dispatcher().open(context, whole(ctx)), bytes);
    }
  }

  /**
   * Lets Vert.x see enough to choose between HTTP/1.1 and HTTP/2, and takes from what is HTTP/1.1
   * the way to HTTP/2 before a request is read.
   */
  private void goOn(ChannelHandlerContext ctx, ByteBuf bytes) {
    ChannelPipeline pipeline = ctx.pipeline();
    if (pipeline.get(Http1xOrH2CHandler.class) != null) {
      ctx.fireChannelRead(bytes.readRetainedSlice(Math.min(DECIDING, bytes.readableBytes())));
      if (pipeline.get(Http1xOrH2CHandler.class) != null && !bytes.isReadable()) {
        bytes.release();
        return;
      }
      UpgradeHeaderRemover.join(pipeline);
      Http1HeadDecoder.replace(pipeline);
    }
    pipeline.remove(this);
    if (bytes.isReadable()) {
      ctx.fireChannelRead(bytes);
    } else {
      bytes.release();
    }
  }

  private ByteBuf join(ByteBuf more) {
    ByteBuf joined = Unpooled.copiedBuffer(seen, more);
    seen.release();
    more.release();
    return joined;
  }

  /** Null while TLS is being agreed on: what comes then is not ours to look at. */
  private static @Nullable ContextInternal context(ChannelPipeline pipeline) {
    VertxHandler<?> handler = pipeline.get(VertxHandler.class);
    return handler == null ? null : handler.getConnection().context();
  }

  private static boolean couldBegin(ByteBuf bytes, byte[] wanted) {
    int length = Math.min(bytes.readableBytes(), wanted.length);
    for (int i = 0; i < length; i++) {
      if (bytes.getByte(bytes.readerIndex() + i) != wanted[i]) {
        return false;
      }
    }
    return true;
  }

  private static Runnable whole(ChannelHandlerContext ctx) {
    ConnectionGuard guard = ConnectionGuard.of(ctx.channel());
    return guard == null ? () -> {} : guard::frameRead;
  }

  private void takeOver(ChannelHandlerContext ctx, ChannelHandler taker, ByteBuf bytes) {
    ChannelPipeline pipeline = ctx.pipeline();
    pipeline.get(UnusedConnectionDrain.class).takenOver();
    pipeline.replace(this, null, taker);
    pipeline.addFirst(new FlushCoalescingHandler());
    pipeline.fireChannelRead(bytes);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    seen.release();
    seen = Unpooled.EMPTY_BUFFER;
  }
}
