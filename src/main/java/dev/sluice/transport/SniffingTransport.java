package dev.sluice.transport;

import dev.sluice.config.LimitsConfig;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.Vertx;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.spi.transport.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Another transport, whose accepted connections are looked at before HTTP sees them: see {@link
 * RawFront}. Vert.x has no other place where a handler can be put in front of its own.
 *
 * <p>Everything but server sockets is the other transport's.
 */
public final class SniffingTransport implements io.vertx.core.transport.Transport {
  private final io.vertx.core.transport.Transport real;
  private final ConcurrentMap<String, Admission> admissions = new ConcurrentHashMap<>();

  public SniffingTransport(io.vertx.core.transport.Transport real) {
    this.real = real;
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public boolean available() {
    return real.available();
  }

  @Override
  public @Nullable Throwable unavailabilityCause() {
    return real.unavailabilityCause();
  }

  @Override
  public Transport implementation() {
    return new Sockets(real.implementation(), admissions);
  }

  /**
   * Whom a listener accepts, and what their connections may cost.
   *
   * @param connections counts them
   * @param limits of each
   */
  record Admission(ConnectionCount connections, LimitsConfig limits) {}

  /**
   * Sets who is accepted from now on by the server with this address. Without it, anyone is.
   *
   * @param address with the port that is really open
   */
  static void admit(Vertx vertx, SocketAddress address, Admission admission) {
    if (((VertxInternal) vertx).transport() instanceof Sockets sockets) {
      String name =
          address.isDomainSocket()
              ? address.path()
              : name(new InetSocketAddress(address.host(), address.port()));
      sockets.admissions.put(name, admission);
    }
  }

  /** Names an address as a server's channel shows it, however it was written. */
  private static String name(java.net.SocketAddress address) {
    if (address instanceof InetSocketAddress inet && inet.getAddress() != null) {
      String host =
          inet.getAddress().isAnyLocalAddress() ? "*" : inet.getAddress().getHostAddress();
      return host + ":" + inet.getPort();
    }
    return address.toString();
  }

  private static <C extends ServerChannel> C watched(
      C server, ConcurrentMap<String, Admission> admissions) {
    server.pipeline().addLast(new Accepting(admissions));
    return server;
  }

  /** Sees each connection before its own pipeline is made, so that the look-out comes first. */
  private static final class Accepting extends ChannelInboundHandlerAdapter {
    private final ConcurrentMap<String, Admission> admissions;

    Accepting(ConcurrentMap<String, Admission> admissions) {
      this.admissions = admissions;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      Channel accepted = (Channel) message;
      Admission admission = admissions.get(name(ctx.channel().localAddress()));
      if (admission != null) {
        if (!enter(accepted, admission.connections())) {
          accepted.unsafe().closeForcibly();
          return;
        }
        accepted.pipeline().addLast(new ConnectionGuard(admission.limits()));
      }
      accepted.pipeline().addLast(new Unspoken(), new FirstBytes());
      ctx.fireChannelRead(accepted);
    }

    private static boolean enter(Channel accepted, ConnectionCount connections) {
      InetAddress peer =
          accepted.remoteAddress() instanceof InetSocketAddress address
              ? address.getAddress()
              : null;
      if (!connections.enter(peer)) {
        return false;
      }
      accepted.closeFuture().addListener(_ -> connections.leave(peer));
      return true;
    }
  }

  private record Sockets(Transport real, ConcurrentMap<String, Admission> admissions)
      implements Transport {
    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
      ChannelFactory<? extends ServerChannel> factory = real.serverChannelFactory(domainSocket);
      return () -> watched(factory.newChannel(), admissions);
    }

    @Override
    public boolean supportsDomainSockets() {
      return real.supportsDomainSockets();
    }

    @Override
    public boolean supportFileRegion() {
      return real.supportFileRegion();
    }

    @Override
    public boolean isAvailable() {
      return real.isAvailable();
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
      return real.unavailabilityCause();
    }

    @Override
    public java.net.SocketAddress convert(SocketAddress address) {
      return real.convert(address);
    }

    @Override
    public SocketAddress convert(java.net.SocketAddress address) {
      return real.convert(address);
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
      return real.ioHandlerFactory();
    }

    @Override
    public EventLoopGroup eventLoopGroup(
        int type, int threads, ThreadFactory factory, int ioRatio) {
      return real.eventLoopGroup(type, threads, factory, ioRatio);
    }

    @Override
    public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
      return real.datagramChannelFactory();
    }

    @Override
    @SuppressWarnings("deprecation") // The interface still has it.
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
      return real.datagramChannel(family);
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
      return real.channelFactory(domainSocket);
    }

    @Override
    public void configure(DatagramChannel channel, DatagramSocketOptions options) {
      real.configure(channel, options);
    }

    @Override
    public void configure(
        TcpConfig config, boolean domainSocket, io.netty.bootstrap.Bootstrap bootstrap) {
      real.configure(config, domainSocket, bootstrap);
    }

    @Override
    public void configure(
        TcpConfig config, boolean domainSocket, io.netty.bootstrap.ServerBootstrap bootstrap) {
      real.configure(config, domainSocket, bootstrap);
    }
  }
}
