package dev.sluice.transport.brpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.security.Credentials;
import dev.sluice.security.UnixPeer;
import java.util.List;
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
    List<String> authentications = meta.authentications();
    if (authentications.isEmpty() || !"authorization".contentEquals(name)) {
      return null;
    }
    if (authentications.size() > 1) {
      throw new InferenceException(
          ErrorCode.UNAUTHENTICATED, "the request has several authentication_data; wanted one");
    }
    String authentication = authentications.getFirst();
    return authentication.isEmpty() ? null : authorization(authentication);
  }

  private static String authorization(String authentication) {
    return authentication.indexOf(' ') < 0 ? "Bearer " + authentication : authentication;
  }

  @Override
  public @Nullable UnixPeer unixPeer() {
    return connection.unixPeer();
  }
}
