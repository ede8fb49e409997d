package dev.sluice.transport;

import dev.sluice.config.server.ListenerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Host names by which clients may address a listener. Against DNS rebinding: a page from
 * evil.example whose name suddenly resolves to this machine still sends its own name as the host.
 * Any thread.
 */
final class AllowedHosts {
  private static final List<String> LOOPBACK = List.of("localhost", "127.0.0.1", "[::1]");

  /** A colon and the digits behind it. */
  private static final int LONGEST_PORT = 6;

  /** What may be an address of IPv6, in brackets, or of IPv4. */
  private static final Pattern ADDRESS =
      Pattern.compile("\\[[\\p{XDigit}:.]+]|\\d{1,3}(?:\\.\\d{1,3}){3}");

  private final List<String> names;
  private final boolean any;
  private final boolean anyAddress;

  /**
   * What was allowed last: nearly all requests of a listener say the same. Not volatile: a thread
   * that does not see it looks for itself.
   */
  private String lastAllowed = "";

  private AllowedHosts(List<String> names, boolean any, boolean anyAddress) {
    this.names = names;
    this.any = any;
    this.anyAddress = anyAddress;
  }

  /**
   * Returns the names of a listener.
   *
   * @param local whether only this machine reaches it; if not, every IP address is allowed, since
   *     no page has an address for a name
   */
  static AllowedHosts of(ListenerConfig config, boolean local) {
    List<String> names = new ArrayList<>(LOOPBACK);
    if (config.socket().isEmpty()) {
      names.add(config.host().contains(":") ? "[" + config.host() + "]" : config.host());
    }
    names.addAll(config.allowedHosts());
    // A path is no name: what a proxy sends to a socket as the host says nothing.
    boolean any = config.socket().isPresent() || names.contains(ListenerConfig.ANY_HOST);
    return new AllowedHosts(names, any, !local);
  }

  /**
   * Returns whether a request may be addressed like that.
   *
   * @param authority a name and perhaps a port, as {@code Host} or {@code :authority} hold it
   */
  boolean contains(@Nullable String authority) {
    if (any || lastAllowed.equals(authority)) {
      return true;
    }
    if (authority == null || !isAllowed(authority)) {
      return false;
    }
    lastAllowed = authority;
    return true;
  }

  private boolean isAllowed(String authority) {
    int end = endOfName(authority);
    for (String name : names) {
      if (name.length() == end && authority.regionMatches(true, 0, name, 0, end)) {
        return true;
      }
    }
    return anyAddress && isAddress(authority.substring(0, end));
  }

  /**
   * Returns the place of the port's colon, or the end; negative if it is neither a name nor a port.
   */
  private static int endOfName(String authority) {
    int colon = authority.lastIndexOf(':');
    if (colon < 0 || colon < authority.indexOf(']')) {
      return authority.length();
    }
    if (authority.length() - colon > LONGEST_PORT) {
      return authority.length();
    }
    for (int i = colon + 1; i < authority.length(); i++) {
      if (authority.charAt(i) < '0' || authority.charAt(i) > '9') {
        return authority.length();
      }
    }
    return colon;
  }

  /** Browsers write addresses in one form only: other forms are no addresses to them. */
  private static boolean isAddress(String name) {
    return ADDRESS.matcher(name).matches();
  }
}
