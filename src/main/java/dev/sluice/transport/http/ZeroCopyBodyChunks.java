package dev.sluice.transport.http;

import dev.sluice.transport.netty.ConnectionInternals;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Zero-copy reads of large HTTP/1 bodies: hands over the chunks in the memory that the socket was
 * read into. Vert.x would copy each into a new array: for large bodies that is more memory in a
 * second than any cache holds. Vert.x still hears of the body's end.
 *
 * <p>On the connection's event loop.
 */
final class ZeroCopyBodyChunks extends ChannelInboundHandlerAdapter {
  /** True while Vert.x is being given a request: what it calls now, it calls for that one. */
  private boolean entering;

  /** The consumer of the rest of the body; null if it is Vert.x. */
  private @Nullable Consumer<ByteBuf> taker;

  /** The action that runs when the client has read enough of its answers. */
  private @Nullable Runnable waiting;

  private ZeroCopyBodyChunks() {}

  /** Stands before Vert.x on a connection that has just been opened, if it speaks HTTP/1. */
  static void join(HttpConnection connection) {
    ConnectionInternals.http1(connection)
        .ifPresent(
            vertx -> vertx.pipeline().addBefore(vertx.name(), null, new ZeroCopyBodyChunks()));
  }

  /**
   * Gives away all pieces of a request's body. A request that came before its turn has waited in
   * Vert.x with pieces of its body, and stays there: nothing is given away.
   *
   * @param taker borrows each piece
   */
  static void take(HttpServerRequest request, Consumer<ByteBuf> taker) {
    if (request.version() != HttpVersion.HTTP_2) {
      ChannelHandlerContext vertx = ConnectionInternals.context(request.connection());
      var pieces = vertx.pipeline().get(ZeroCopyBodyChunks.class);
      if (pieces != null && pieces.entering) {
        pieces.taker = taker;
      }
    }
  }

  /**
   * Puts a request off while its client does not take the answers to those before it. Vert.x gives
   * one request after the other, and reads no more meanwhile.
   *
   * @param action called on the same context when the client has taken enough
   * @return false if nothing is put off, and the action is not called
   */
  static boolean putOff(HttpServerRequest request, Runnable action) {
    if (request.version() == HttpVersion.HTTP_2) {
      return false;
    }
    ChannelHandlerContext vertx = ConnectionInternals.context(request.connection());
    if (vertx.channel().isWritable()) {
      return false;
    }
    var pieces = vertx.pipeline().get(ZeroCopyBodyChunks.class);
    if (pieces == null) {
      return false;
    }
    Context caller = Objects.requireNonNull(Vertx.currentContext());
    pieces.waiting = () -> caller.runOnContext(_ -> action.run());
    return true;
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    Runnable next = waiting;
    if (next != null && ctx.channel().isWritable()) {
      waiting = null;
      next.run();
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest) {
      enter(ctx, message);
    } else if (taker != null
        && message instanceof HttpContent piece
        && piece.decoderResult().isSuccess()) {
      hand(ctx, piece, taker);
    } else {
      ctx.fireChannelRead(message);
    }
  }

  private void enter(ChannelHandlerContext ctx, Object request) {
    entering = true;
    try {
      ctx.fireChannelRead(request);
    } finally {
      entering = false;
    }
  }

  private void hand(ChannelHandlerContext ctx, HttpContent piece, Consumer<ByteBuf> to) {
    boolean last = piece instanceof LastHttpContent;
    if (last) {
      taker = null;
    }
    try {
      to.accept(piece.content());
    } finally {
      piece.release();
    }
    if (last) {
      ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
    }
  }
}
