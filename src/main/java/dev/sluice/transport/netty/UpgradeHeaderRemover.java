package dev.sluice.transport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.vertx.core.http.impl.http2.codec.Http1xUpgradeToH2CHandler;

/**
 * Removes the Upgrade header from a connection's first request, behind which Vert.x would not
 * change it any more. A proxy that passes {@code Upgrade: h2c} on would be a tunnel through which
 * its client asks what the proxy never sees. Clients that ask for HTTP/2 are answered by HTTP/1.1,
 * as the standard has it; those that begin with HTTP/2, such as gRPC's, are not concerned. On the
 * connection's event loop.
 */
final class UpgradeHeaderRemover extends ChannelInboundHandlerAdapter {
  private UpgradeHeaderRemover() {}

  /** Joins a connection that speaks HTTP/1.1 without encryption; others have no such way. */
  static void join(ChannelPipeline pipeline) {
    ChannelHandlerContext upgrade = pipeline.context(Http1xUpgradeToH2CHandler.class);
    if (upgrade != null) {
      pipeline.addBefore(upgrade.name(), null, new UpgradeHeaderRemover());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request) {
      request.headers().remove(HttpHeaderNames.UPGRADE).remove("HTTP2-Settings");
      ctx.pipeline().remove(this);
    }
    ctx.fireChannelRead(message);
  }
}
