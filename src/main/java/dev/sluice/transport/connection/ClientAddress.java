package dev.sluice.transport.connection;

import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** The address of a connection's client, as all log lines show it. Any thread. */
public final class ClientAddress {
  private ClientAddress() {}

  /** Returns the client's address and port; null for a client of a Unix domain socket. */
  public static @Nullable Object of(Channel channel) {
    SocketAddress address = channel.remoteAddress();
    return address instanceof InetSocketAddress internet
        ? NetUtil.toSocketAddressString(internet)
        : address;
  }
}
