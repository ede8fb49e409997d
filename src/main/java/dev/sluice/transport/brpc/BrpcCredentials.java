package dev.sluice.transport.brpc;

import dev.sluice.security.Credentials;
import dev.sluice.security.UnixPeer;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of a call's client, which other protocols have in headers, and its connection.
 *
 * @param meta of the call
 * @param connection of the client; never encrypted
 */
record BrpcCredentials(RpcMeta meta, BrpcConnection connection) implements Credentials {
  @Override
  public @Nullable String header(CharSequence name) {
    String authentication = meta.authentication();
    return !authentication.isEmpty() && "authorization".contentEquals(name)
        ? authorization(authentication)
        : null;
  }

  private static String authorization(String authentication) {
    return authentication.indexOf(' ') < 0 ? "Bearer " + authentication : authentication;
  }

  @Override
  public @Nullable UnixPeer unixPeer() {
    return connection.unixPeer();
  }
}
