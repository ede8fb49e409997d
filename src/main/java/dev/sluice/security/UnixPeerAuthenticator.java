package dev.sluice.security;

import java.util.List;
import java.util.Optional;

/**
 * Recognises the process at the other end of a Unix domain socket. It is {@code uid:NUMBER} and
 * {@code gid:NUMBER}, but not {@code authenticated}: a proxy's user says nothing of its clients.
 */
final class UnixPeerAuthenticator implements Authenticator {
  @Override
  public Optional<Identity> identify(Credentials presented) {
    UnixPeer peer = presented.unixPeer();
    return peer == null ? Optional.empty() : Optional.of(identity(peer));
  }

  private static Identity identity(UnixPeer peer) {
    String uid = "uid:" + peer.uid();
    return new Identity(uid, List.of(uid, "gid:" + peer.gid()));
  }
}
