package dev.sluice.transport.netty;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.security.Credentials;
import dev.sluice.security.UnixPeer;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpConnection;
import java.io.IOException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of a request in its headers, and of its connection.
 *
 * @param headers a header's value by its name
 * @param connection the request's
 */
public record ConnectionCredentials(
    Function<CharSequence, @Nullable String> headers, HttpConnection connection)
    implements Credentials {
  private static final AttributeKey<UnixPeer> PEER = AttributeKey.valueOf(UnixPeer.class, "peer");

  /**
   * Returns what a request presents.
   *
   * @param headers all of them: a credential that comes twice is none, since a proxy and the server
   *     could each believe another
   */
  public static ConnectionCredentials of(
      Iterable<Map.Entry<String, String>> headers, HttpConnection connection) {
    return new ConnectionCredentials(name -> single(headers, name), connection);
  }

  private static @Nullable String single(
      Iterable<Map.Entry<String, String>> headers, CharSequence name) {
    String found = null;
    for (Map.Entry<String, String> header : headers) {
      if (name.toString().equalsIgnoreCase(header.getKey())) {
        if (found != null) {
          throw new InferenceException(
              ErrorCode.UNAUTHENTICATED,
              "the request has several headers " + name + "; wanted one");
        }
        found = header.getValue();
      }
    }
    return found;
  }

  @Override
  public @Nullable String header(CharSequence name) {
    return headers.apply(name);
  }

  @Override
  public @Nullable X509Certificate certificate() {
    if (!connection.isSsl()) {
      return null;
    }
    try {
      List<Certificate> chain = connection.peerCertificates();
      return chain != null && !chain.isEmpty() && chain.getFirst() instanceof X509Certificate own
          ? own
          : null;
    } catch (SSLPeerUnverifiedException _) {
      return null;
    }
  }

  @Override
  public @Nullable UnixPeer unixPeer() {
    return unixPeer(ConnectionInternals.base(connection).channel());
  }

  /**
   * Asks the system once who has opened a connection. Null if it is no Unix domain socket, or if
   * the transport cannot say: epoll and io_uring can.
   */
  public static @Nullable UnixPeer unixPeer(Channel channel) {
    UnixPeer peer = channel.attr(PEER).get();
    if (peer == null) {
      peer = ask(channel);
      channel.attr(PEER).set(peer);
    }
    return peer;
  }

  private static @Nullable UnixPeer ask(Channel channel) {
    try {
      return switch (channel) {
        case EpollDomainSocketChannel epoll -> peer(epoll.peerCredentials());
        case IoUringDomainSocketChannel uring -> peer(uring.peerCredentials());
        default -> null;
      };
    } catch (IOException _) {
      return null;
    }
  }

  private static UnixPeer peer(PeerCredentials peer) {
    return new UnixPeer(Integer.toUnsignedLong(peer.uid()), Integer.toUnsignedLong(peer.gids()[0]));
  }
}
