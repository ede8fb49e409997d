package dev.sluice.transport.netty;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.transport.connection.ConnectionCount;
import dev.sluice.transport.connection.ConnectionDrain;
import dev.sluice.transport.connection.RequestMemory;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.spi.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a transport to add protocol detection to accepted connections: see {@link
 * DetectedProtocol}. Vert.x has no other place where a handler can be put in front of its own.
 *
 * <p>Everything but server sockets is the other transport's.
 */
public final class ProtocolDetectionTransport implements io.vertx.core.transport.Transport {
  private final io.vertx.core.transport.Transport real;
  private final ConcurrentMap<String, Admission> admissions = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Channel> servers = new ConcurrentHashMap<>();

  public ProtocolDetectionTransport(io.vertx.core.transport.Transport real) {
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
    return new Sockets(real.implementation(), admissions, servers);
  }

  /**
   * Whom a listener accepts, and what their connections may cost.
   *
   * @param connections counts them
   * @param drain ends them
   * @param limits of each
   * @param memory of the heads of their requests
   */
  public record Admission(
      ConnectionCount connections,
      ConnectionDrain drain,
      LimitsConfig limits,
      RequestMemory memory) {}

  /**
   * Sets who is accepted from now on by the server with this address. Before that it accepts no
   * connection: those that arrive wait in the accept queue, since none may pass without its guards.
   *
   * @param address with the port that is really open
   */
  public static void admit(Vertx vertx, SocketAddress address, Admission admission) {
    if (((VertxInternal) vertx).transport() instanceof Sockets sockets) {
      String name = name(address);
      sockets.admissions.put(name, admission);
      Channel server = sockets.servers.get(name);
      if (server != null) {
        server.read();
      }
    }
  }

  /**
   * Accepts what waits to be accepted by the server with this address, and stops listening.
   *
   * @param address with the port that is really open
   * @return complete when it does not listen any more, on the caller's context
   */
  public static Future<Void> stopListening(Vertx vertx, SocketAddress address) {
    Promise<Void> stopped = ((VertxInternal) vertx).promise();
    Channel server =
        ((VertxInternal) vertx).transport() instanceof Sockets sockets
            ? sockets.servers.get(name(address))
            : null;
    if (server == null) {
      stopped.complete();
    } else {
      server.close().addListener(_ -> stopped.complete());
    }
    return stopped.future();
  }

  private static String name(SocketAddress address) {
    return address.isDomainSocket()
        ? address.path()
        : name(new InetSocketAddress(address.host(), address.port()));
  }

  /** Returns the name of an address as a server's channel shows it, however it was written. */
  private static String name(java.net.SocketAddress address) {
    if (address instanceof InetSocketAddress inet && inet.getAddress() != null) {
      String host =
          inet.getAddress().isAnyLocalAddress() ? "*" : inet.getAddress().getHostAddress();
      return host + ":" + inet.getPort();
    }
    return address.toString();
  }

  private static <C extends ServerChannel> C watched(C server, Sockets sockets) {
    server.pipeline().addLast(new Accepting(sockets.admissions, sockets.servers));
    return server;
  }

  /** Sees each connection before its own pipeline is made, so that the look-out comes first. */
  private static final class Accepting extends ChannelDuplexHandler {
    /** Interval of the polls; connections that came in during one poll are accepted by the next. */
    private static final long POLL_MILLIS = 1;

    /**
     * Connections that were about to be made when attempts began to be ignored are there by then.
     */
    private static final long FILTERED_MILLIS = 20;

    /** Pause after connections could not be accepted. */
    private static final long FAILED_MILLIS = 1_000;

    /** Clients that never stop connecting are not waited for. */
    private static final int MOST_LOOKS = 50;

    private final ConcurrentMap<String, Admission> admissions;
    private final ConcurrentMap<String, Channel> servers;
    private @Nullable Admission admission;
    private boolean closing;
    private boolean filtered;
    private int polls;
    private int accepted;

    Accepting(ConcurrentMap<String, Admission> admissions, ConcurrentMap<String, Channel> servers) {
      this.admissions = admissions;
      this.servers = servers;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      String name = name(ctx.channel().localAddress());
      servers.put(name, ctx.channel());
      ctx.channel().closeFuture().addListener(_ -> servers.remove(name, ctx.channel()));
      ctx.fireChannelActive();
    }

    /** Accepts as soon as it is known who may be accepted. */
    @Override
    public void read(ChannelHandlerContext ctx) {
      admission = admissions.get(name(ctx.channel().localAddress()));
      if (admission != null) {
        ctx.read();
      }
    }

    /**
     * Tries again after a while: what waits is accepted once there are file descriptors. Netty's
     * acceptor does the same, but nothing counts it there.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      Admission to = admission;
      if (to == null || closing || !(cause instanceof IOException)) {
        ctx.fireExceptionCaught(cause);
        return;
      }
      to.connections().acceptFailed(cause);
      ctx.channel().config().setAutoRead(false);
      var _ =
          ctx.executor()
              .schedule(
                  () -> ctx.channel().config().setAutoRead(true),
                  FAILED_MILLIS,
                  TimeUnit.MILLISECONDS);
    }

    /** The system resets connections that a closed socket has not accepted. */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
      ctx.channel().closeFuture().addListener(_ -> promise.trySuccess());
      if (!closing) {
        closing = true;
        filtered = SynFilter.attach(ctx.channel());
        pollAgain(ctx);
      }
    }

    private void pollAgain(ChannelHandlerContext ctx) {
      accepted = 0;
      long millis = filtered ? FILTERED_MILLIS : POLL_MILLIS;
      var _ = ctx.executor().schedule(() -> look(ctx), millis, TimeUnit.MILLISECONDS);
    }

    /** Runs right after the event loop has accepted what there was. */
    private void look(ChannelHandlerContext ctx) {
      if (accepted > 0 && ++polls < MOST_LOOKS) {
        pollAgain(ctx);
      } else {
        var _ = ctx.close();
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      accepted++;
      Channel connection = (Channel) message;
      if (admission == null || !enter(connection, admission.connections())) {
        connection.unsafe().closeForcibly();
        return;
      }
      guard(connection, admission);
      ctx.fireChannelRead(connection);
    }

    private static void guard(Channel connection, Admission admission) {
      connection.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
      Http1HeadMemory.attach(
          connection, admission.memory(), admission.limits().connection().maxHeaderFields());
      connection
          .pipeline()
          .addLast(
              new LingeringClose(admission.drain()),
              new ConnectionGuard(admission.limits(), admission.connections().listener()),
              new UnusedConnectionDrain(),
              new ProtocolDetector());
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

  private record Sockets(
      Transport real,
      ConcurrentMap<String, Admission> admissions,
      ConcurrentMap<String, Channel> servers)
      implements Transport {
    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
      ChannelFactory<? extends ServerChannel> factory = real.serverChannelFactory(domainSocket);
      return () -> watched(factory.newChannel(), this);
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
