package dev.sluice.transport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.flush.FlushConsolidationHandler;

/**
 * Coalesces the flushes of one turn of the event loop, also beyond its reads, into one flush at the
 * turn's end.
 *
 * <p>A connection whose buffer has become full is flushed when it is asked for next, and not at
 * once, as Netty's own handler would do. That happens in the middle of a write, and a flush there
 * makes room, which makes HTTP/2 write the frames that wait: between the head of a frame and its
 * content.
 */
final class FlushCoalescingHandler extends FlushConsolidationHandler {
  /** Flushes that are made one at most. An answer over gRPC has two. */
  private static final int MAX_COALESCED = 256;

  FlushCoalescingHandler() {
    super(MAX_COALESCED, true);
  }

  @Override
  public void flush(ChannelHandlerContext ctx) throws Exception {
    if (ctx.channel().isWritable()) {
      super.flush(ctx);
    } else {
      ctx.flush();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    ctx.fireChannelWritabilityChanged();
  }
}
