package dev.sluice.transport.connection;

import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
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

  /**
   * Says it by the names of the semantic conventions.
   *
   * @param peer as {@code host:port}, or with brackets around an address with colons; null: nothing
   */
  public static void describe(@Nullable Object peer, Map<String, Object> facts) {
    if (peer == null) {
      return;
    }
    String text = peer.toString();
    int port = text.lastIndexOf(':') + 1;
    boolean hasPort = port > 1 && text.substring(port).chars().allMatch(Character::isDigit);
    String host = hasPort ? text.substring(0, port - 1) : text;
    facts.put("client.address", host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
    if (hasPort && port < text.length()) {
      facts.put("client.port", Long.parseLong(text.substring(port)));
    }
  }
}
