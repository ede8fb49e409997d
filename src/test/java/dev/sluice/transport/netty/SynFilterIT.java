package dev.sluice.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the system does with connections to a socket that has the filter. */
@Timeout(60)
class SynFilterIT {
  /** Shorter than the second after which an attempt to connect is repeated. */
  private static final int ATTEMPT_MILLIS = 300;

  /** Sends back what it gets. */
  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public boolean isSharable() {
      return true;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      var _ = ctx.writeAndFlush(message);
    }
  }

  private static Channel listen(EventLoopGroup loops, Class<? extends ServerChannel> kind) {
    return new ServerBootstrap()
        .group(loops)
        .channel(kind)
        .childHandler(new Echo())
        .bind("localhost", 0)
        .syncUninterruptibly()
        .channel();
  }

  private static Socket connect(Channel server) throws IOException {
    var socket = new Socket();
    int port = ((InetSocketAddress) server.localAddress()).getPort();
    socket.connect(new InetSocketAddress("localhost", port), ATTEMPT_MILLIS);
    return socket;
  }

  @Test
  void newAttemptsAreIgnoredAndOpenConnectionsGoOn() throws Exception {
    assumeTrue(Epoll.isAvailable(), "this is no Linux");
    try (EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory())) {
      Channel server = listen(loops, EpollServerSocketChannel.class);
      try (Socket open = connect(server)) {
        assertThat(loops.submit(() -> SynFilter.attach(server)).get()).isTrue();
        assertThatThrownBy(() -> connect(server)).isInstanceOf(SocketTimeoutException.class);
        open.getOutputStream().write(7);
        assertThat(open.getInputStream().read()).isEqualTo(7);
        server.close().syncUninterruptibly();
        assertThatThrownBy(() -> connect(server)).isInstanceOf(ConnectException.class);
        open.getOutputStream().write(8);
        assertThat(open.getInputStream().read()).isEqualTo(8);
      }
    }
  }

  @Test
  void socketsOfTheJdkAreLeftAsTheyAre() throws Exception {
    try (EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())) {
      Channel server = listen(loops, NioServerSocketChannel.class);
      assertThat(loops.submit(() -> SynFilter.attach(server)).get()).isFalse();
      connect(server).close();
    }
  }
}
